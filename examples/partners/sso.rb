require "json"
require "net/http"
require "openssl"
require "timeout"

# The visitor is not signed in. `error` and `description` come from the IdP, if it sent them.
class VerifyError < StandardError
  attr_reader :error, :description

  def initialize(reason, error = nil, description = nil)
    super([reason, error, description].compact.join(": "))
    @error, @description = error, description
  end
end

# The message ends nothing. Answer it with `status`.
class EventError < StandardError
  attr_reader :status

  def initialize(status, reason)
    super(reason)
    @status = status
  end
end

class SSO
  def initialize(idp, client, secret)
    @idp, @client, @key = idp, client, secret.strip
  end

  def body(token, redirect_uri, code_verifier = nil)
    JSON.generate({ token: token, redirect_uri: redirect_uri, code_verifier: code_verifier }.compact)
  end

  def sign(body) = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", @key, body)

  # The verified response. `signatures`: all values of its header X-SSO-Signature.
  def check(raw, signatures, request_signature)
    reply = signed(raw, signatures, request_signature)
    user, session = reply.values_at("user", "session").map { _1.is_a?(Hash) ? _1 : {} }
    unless [user["id"], session["id"]].all? { filled?(_1) } && session.fetch("authenticated_at", 0).is_a?(Integer)
      raise VerifyError, "response not as documented"
    end
    reply
  end

  # The same for the response to a question about a session of `user`.
  def check_session(raw, signatures, request_signature, user)
    reply = signed(raw, signatures, request_signature)
    if reply["active"] == true
      same = check(raw, signatures, request_signature)["user"]["id"] == user
      raise VerifyError, "response about another user" unless same
    elsif reply["active"] != false || !filled?(reply["reason"])
      raise VerifyError, "response not as documented"
    end
    reply
  end

  def verify(token, redirect_uri, code_verifier = nil)
    check(*call("/auth/sso/verify", "", body(token, redirect_uri, code_verifier), 5))
  end

  # Whether a session at the IdP still holds: `active`, and the user of today or the `reason`.
  def session(id, user)
    check_session(*call("/auth/sso/session", "session.", JSON.generate({ session: id, user: user }), 2), user)
  end

  # Tries client id, secret and clock: `redirect_uri` is "registered" or "not_registered". Changes nothing.
  def ping(redirect_uri)
    signed(*call("/auth/sso/ping", "ping.", JSON.generate({ redirect_uri: redirect_uri, time: Time.now.to_i }), 5))
  end

  # The verified sign-out message. `headers`: names and values, or a Rack environment.
  def event(raw, headers, now = Time.now.to_f)
    found = headers.select { |name, _| name.to_s.downcase.tr("_", "-").delete_prefix("http-") == "x-sso-signature" }
    signatures = found.map { |_, value| value }.flatten
    raise EventError.new(401, "message not signed by the IdP") unless signed?(signatures, "logout.".b + raw.b)
    event = parse(raw)
    texts = [event["id"], event["user"], event.fetch("session", "all")]
    unless event["event"] == "logout" && event["client_id"] == @client && texts.all? { filled?(_1) } &&
           event["issued_at"].is_a?(Integer)
      raise EventError.new(400, "message not as documented, or for another client")
    end
    raise EventError.new(400, "message not of these minutes") if (now - event["issued_at"]).abs > 300
    event
  end

  private

  def signed?(signatures, message)
    signatures.length == 1 && OpenSSL.secure_compare(signatures[0].downcase, sign(message))
  end

  # A response of the IdP to this client.
  def signed(raw, signatures, request_signature)
    hex_digits = request_signature.delete_prefix("sha256=").downcase
    unless signed?(signatures, "response.#{hex_digits}.".b + raw.b)
      raise VerifyError, "response not signed by the IdP"
    end
    reply = parse(raw)
    raise VerifyError, "response for another client" unless reply["client_id"] == @client
    reply
  end

  def filled?(text) = text.is_a?(String) && !text.empty?

  # Body, signatures and the request's signature of a response 200.
  def call(path, label, body, seconds)
    signature = sign(label + body)
    response, raw = post(URI(@idp + path), body, signature, seconds)
    unless response.code == "200"
      refusal = parse(raw).values_at("error", "error_description").map { readable(_1) }
      raise VerifyError.new("status #{response.code}", *refusal)
    end
    raise VerifyError, "response is not JSON" unless response.content_type&.downcase == "application/json"
    [raw, response.get_fields("X-SSO-Signature") || [], signature]
  end

  # The response and its body. Net::HTTP follows no redirect by itself.
  def post(uri, body, signature, seconds)
    http = Net::HTTP.new(uri.host, uri.port, nil) # nil: no proxy of the environment
    http.use_ssl = uri.scheme == "https"
    request = Net::HTTP::Post.new(uri, "Content-Type" => "application/json", "Accept-Encoding" => "identity",
                                       "X-SSO-Client" => @client, "X-SSO-Signature" => signature)
    raw = "".b
    read = ->(part) { (raw << part).bytesize <= 65_536 or raise VerifyError, "response too large" }
    response = Timeout.timeout(seconds) { http.start { http.request(request, body) { _1.read_body(&read) } } }
    [response, raw]
  rescue VerifyError
    raise
  rescue StandardError => problem
    raise VerifyError, "no response: #{problem.inspect}"
  end

  def parse(raw)
    reply = JSON.parse(raw)
    reply.is_a?(Hash) ? reply : {}
  rescue JSON::ParserError
    {}
  end

  # A text of an unsigned response, if it can be logged: one line of printable ASCII.
  def readable(text)
    text if text.is_a?(String) && text.ascii_only? && text.match?(/\A[ -~]{1,300}\z/)
  end
end
