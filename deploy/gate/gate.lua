-- Asks the identity provider about a request of a service behind the gate, for HAProxy 2.6 and later:
--     http-request lua.sso_check http://127.0.0.1:8080/gate/wiki/check
-- A request passes only on a 200. Every other answer goes to the browser as it is.

local identity = { "remote-user", "remote-email", "remote-name", "remote-groups", "remote-id", "x-sso-identity" }

-- What belongs to the connection, or to a body that is not sent.
local left_out = {
    ["connection"] = true, ["upgrade"] = true, ["content-length"] = true, ["transfer-encoding"] = true,
    ["expect"] = true, ["keep-alive"] = true, ["te"] = true, ["trailer"] = true, ["host"] = true,
}

-- The cookie of the gate alone: those of the service may be many. The one without a prefix is that of a service without https. Any
-- host beside a service could set it, so that the other one comes first.
local function own_cookie(value)
    local found = {}
    for part in value:gmatch("[^;]+") do
        local name = part:match("^%s*([^=%s]+)=")
        if name and not found[name] then found[name] = part end
    end
    return found["__Host-sso_gate"] or found["sso_gate"]
end

core.register_action("sso_check", { "http-req" }, function(txn, url)
    local sent, asked = txn.http:req_get_headers(), {}
    for name, values in pairs(sent) do
        if not left_out[name] then
            asked[name] = {}
            for index = 0, #values do
                local value = values[index]
                if value and name == "cookie" then value = own_cookie(value) end
                if value then table.insert(asked[name], value) end
            end
        end
    end
    local query = txn.sf:query()
    local target = txn.sf:path()
    if query and query ~= "" then target = target .. "?" .. query end
    asked["x-forwarded-uri"] = { target }
    asked["x-forwarded-method"] = { txn.sf:method() }

    local answer = core.httpclient():get { url = url, headers = asked, timeout = 10000 }
    if answer and answer.status == 200 then
        for _, name in ipairs(identity) do
            local values = answer.headers[name]
            txn.http:req_set_header(name, values and values[0] or "")
        end
        return
    end
    -- A gate that does not answer lets nobody pass.
    local reply = txn:reply { status = answer and answer.status ~= 0 and answer.status or 503 }
    if answer and answer.headers then
        for _, name in ipairs({ "content-type", "location", "cache-control", "retry-after", "www-authenticate",
            "content-security-policy", "referrer-policy", "x-content-type-options" }) do
            local values = answer.headers[name]
            if values and values[0] then reply:add_header(name, values[0]) end
        end
        if answer.body then reply:set_body(answer.body) end
    end
    txn:done(reply)
end, 1)
