# Runs the calls of a file on the Ruby sample of docs/protocol.md: the file and the results are JSON arrays.
require "json"
require_relative "sso"

def run(call)
  sso = SSO.new(call["idp"], call["client"], call["secret"])
  body = (call["body"] || "").unpack1("m")
  case call["call"]
  when "body" then sso.body(call["token"], call["redirect_uri"], call["code_verifier"])
  when "sign" then sso.sign(body)
  when "check" then sso.check(body, call["signatures"], call["request_signature"])
  when "verify" then sso.verify(call["token"], call["redirect_uri"], call["code_verifier"])
  end
end

results = JSON.parse(File.read(ARGV[0])).map do |call|
  value = run(call)
  value.is_a?(String) ? { text: value } : { reply: value }
rescue VerifyError => error
  { refused: error.message, error: error.error, description: error.description }
end
puts JSON.generate(results)
