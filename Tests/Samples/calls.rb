# Runs the calls of a file on the Ruby sample of examples/partners: the file and the results are JSON arrays.
require "json"
require_relative "sso"

def run(call)
  sso = SSO.new(call["idp"], call["client"], call["secret"])
  body = (call["body"] || "").unpack1("m")
  case call["call"]
  when "body" then sso.body(call["token"], call["redirect_uri"], call["code_verifier"])
  when "sign" then sso.sign(body)
  when "check" then sso.check(body, call["signatures"], call["request_signature"])
  # As a mapping, or as Rack has them.
  when "event"
    names = ->(name) { body.bytesize.odd? ? "HTTP_#{name.upcase.tr('-', '_')}" : name }
    sso.event(body, call["headers"].group_by { names[_1[0]] }.transform_values { |all| all.map(&:last) }, call["now"])
  when "check_session"
    sso.check_session(body, call["signatures"], call["request_signature"], call["user"])
  when "session" then sso.session(call["session"], call["user"])
  when "ping" then sso.ping(call["redirect_uri"])
  when "verify" then sso.verify(call["token"], call["redirect_uri"], call["code_verifier"])
  end
end

results = JSON.parse(File.read(ARGV[0])).map do |call|
  value = run(call)
  kinds = { "event" => :event, "ping" => :pong, "session" => :state, "check_session" => :state }
  kind = kinds.fetch(call["call"], :reply)
  value.is_a?(String) ? { text: value } : { kind => value }
rescue EventError => error
  { refused: error.message, status: error.status }
rescue VerifyError => error
  { refused: error.message, error: error.error, description: error.description }
end
puts JSON.generate(results)
