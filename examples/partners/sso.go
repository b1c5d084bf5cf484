package sso

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// A Reply is the verified response.
type Reply struct {
	User     User    `json:"user"`
	ClientID string  `json:"client_id"`
	Session  Session `json:"session"`
}

type User struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
	// nil: the IdP names none to this client.
	Groups []string `json:"groups"`
}

type Session struct {
	ID string `json:"id"`
	// In seconds since 1970. nil: the IdP does not know it. Never count that as fresh.
	AuthenticatedAt *int64   `json:"authenticated_at,omitempty"`
	Methods         []string `json:"methods"`
}

// A State is the response to a question about a session.
type State struct {
	Active bool `json:"active"`
	// Why it does not hold; "" if it does.
	Reason string `json:"reason,omitempty"`
	// The user and the session of today; nil if it does not hold.
	*Reply
}

// An Event is a verified sign-out message.
type Event struct {
	ID   string `json:"id"`
	User string `json:"user"`
	// "": all sessions of the user that began before IssuedAt.
	Session  string `json:"session,omitempty"`
	IssuedAt int64  `json:"issued_at"`
}

// A Pong says that client id and secret are right.
type Pong struct {
	// "registered" or "not_registered".
	RedirectURI string `json:"redirect_uri"`
	// The clock of the IdP, in seconds since 1970.
	Time int64 `json:"time"`
}

// An EventError is a message that ends nothing. Answer it with Status.
type EventError struct {
	Status int
	Reason string
}

func (e *EventError) Error() string { return e.Reason }

// An AnswerError is a response of the IdP with another status than 200. Code and Description are empty if it sent none.
type AnswerError struct {
	Status            int
	Code, Description string
}

func (r *AnswerError) Error() string {
	return strings.TrimRight(fmt.Sprintf("status %d: %s: %s", r.Status, r.Code, r.Description), ": ")
}

// Now is the clock. Tests replace it.
var Now = time.Now

// No proxy of the environment, and no redirect is followed. It is kept, because it holds the connections.
var transport = &http.Client{
	Transport:     &http.Transport{Proxy: nil, DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// SSO is one client of the IdP, such as SSO{"https://idp.example.com", "partner", secret}.
type SSO struct{ IdP, Client, Secret string }

// Body is the JSON to sign and send. codeVerifier may be empty.
func (s SSO) Body(token, redirectURI, codeVerifier string) ([]byte, error) {
	return json.Marshal(struct {
		Token        string `json:"token"`
		RedirectURI  string `json:"redirect_uri"`
		CodeVerifier string `json:"code_verifier,omitempty"`
	}{token, redirectURI, codeVerifier})
}

func (s SSO) Sign(body []byte) string {
	mac := hmac.New(sha256.New, []byte(strings.TrimSpace(s.Secret)))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func (s SSO) isSigned(signatures []string, label string, raw []byte) bool {
	expected := s.Sign(append([]byte(label), raw...))
	return len(signatures) == 1 && hmac.Equal([]byte(strings.ToLower(signatures[0])), []byte(expected))
}

// signed reads a response of the IdP to this client. signatures are all values of its header X-SSO-Signature.
func (s SSO) signed(raw []byte, signatures []string, requestSignature string) (map[string]interface{}, error) {
	hexDigits := strings.ToLower(strings.TrimPrefix(requestSignature, "sha256="))
	if !s.isSigned(signatures, "response."+hexDigits+".", raw) {
		return nil, errors.New("response not signed by the IdP")
	}
	var fields map[string]interface{} // not a struct: encoding/json would read a member "ID" as "id"
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("response not as documented: %q", err.Error())
	}
	if fields["client_id"] != s.Client {
		return nil, errors.New("response for another client")
	}
	return fields, nil
}

// Check reads a response of verify.
func (s SSO) Check(raw []byte, signatures []string, requestSignature string) (*Reply, error) {
	fields, err := s.signed(raw, signatures, requestSignature)
	if err != nil {
		return nil, err
	}
	user, _ := fields["user"].(map[string]interface{})
	session, _ := fields["session"].(map[string]interface{})
	who := User{text(user["id"]), text(user["email"]), text(user["name"]), texts(user["groups"])}
	reply := &Reply{who, s.Client, Session{ID: text(session["id"]), Methods: texts(session["methods"])}}
	isDocumented := reply.User.ID != "" && reply.Session.ID != ""
	if value, isThere := session["authenticated_at"]; isThere {
		seconds, isNumber := value.(float64)
		isDocumented = isDocumented && isNumber && seconds == math.Trunc(seconds)
		whole := int64(seconds)
		reply.Session.AuthenticatedAt = &whole
	}
	if !isDocumented {
		return nil, errors.New("response not as documented")
	}
	return reply, nil
}

// CheckSession reads a response to a question about a session of user.
func (s SSO) CheckSession(raw []byte, signatures []string, requestSignature, user string) (*State, error) {
	fields, err := s.signed(raw, signatures, requestSignature)
	if err != nil {
		return nil, err
	}
	active, isDocumented := fields["active"].(bool)
	if !active {
		if reason := text(fields["reason"]); isDocumented && reason != "" {
			return &State{Reason: reason}, nil
		}
		return nil, errors.New("response not as documented")
	}
	reply, err := s.Check(raw, signatures, requestSignature)
	if err == nil && reply.User.ID != user {
		err = errors.New("response about another user")
	}
	if err != nil {
		return nil, err
	}
	return &State{Active: true, Reply: reply}, nil
}

// Event reads a sign-out message. An error is an *EventError.
func (s SSO) Event(raw []byte, headers http.Header) (*Event, error) {
	if !s.isSigned(headers.Values("X-SSO-Signature"), "logout.", raw) {
		return nil, &EventError{401, "message not signed by the IdP"}
	}
	var fields map[string]interface{}
	err := json.Unmarshal(raw, &fields)
	seconds, isNumber := fields["issued_at"].(float64)
	event := &Event{text(fields["id"]), text(fields["user"]), text(fields["session"]), int64(seconds)}
	_, isOne := fields["session"]
	isOurs := fields["event"] == "logout" && fields["client_id"] == s.Client
	isWhole := isNumber && seconds == math.Trunc(seconds)
	if err != nil || !isOurs || !isWhole || event.ID == "" || event.User == "" || isOne && event.Session == "" {
		return nil, &EventError{400, "message not as documented, or for another client"}
	}
	if math.Abs(float64(Now().Unix())-seconds) > 300 {
		return nil, &EventError{400, "message not of these minutes"}
	}
	return event, nil
}

// texts is a value that is a list of strings, or nil.
func texts(value interface{}) []string {
	items, isList := value.([]interface{})
	if !isList {
		return nil
	}
	texts := []string{}
	for _, item := range items {
		texts = append(texts, text(item))
	}
	return texts
}

// text is a value that is a string, or "".
func text(value interface{}) string {
	text, _ := value.(string)
	return text
}

var isReadable = regexp.MustCompile(`^[ -~]{1,300}$`).MatchString

// readable is a text of an unsigned response, if it can be logged: one line of printable ASCII.
func readable(value interface{}) string {
	if text := text(value); isReadable(text) {
		return text
	}
	return ""
}

func (s SSO) Verify(token, redirectURI, codeVerifier string) (*Reply, error) {
	body, err := s.Body(token, redirectURI, codeVerifier)
	if err != nil {
		return nil, err
	}
	raw, signatures, signature, err := s.call("/auth/sso/verify", "", body, 5*time.Second)
	if err != nil {
		return nil, err
	}
	return s.Check(raw, signatures, signature)
}

// Session asks whether a session at the IdP still holds.
func (s SSO) Session(id, user string) (*State, error) {
	body, err := json.Marshal(struct {
		Session string `json:"session"`
		User    string `json:"user"`
	}{id, user})
	if err != nil {
		return nil, err
	}
	raw, signatures, signature, err := s.call("/auth/sso/session", "session.", body, 2*time.Second)
	if err != nil {
		return nil, err
	}
	return s.CheckSession(raw, signatures, signature, user)
}

// Ping tries client id, secret, redirect URI and clock. It changes nothing.
func (s SSO) Ping(redirectURI string) (*Pong, error) {
	body, err := json.Marshal(struct {
		RedirectURI string `json:"redirect_uri"`
		Time        int64  `json:"time"`
	}{redirectURI, Now().Unix()})
	if err != nil {
		return nil, err
	}
	raw, signatures, signature, err := s.call("/auth/sso/ping", "ping.", body, 5*time.Second)
	if err != nil {
		return nil, err
	}
	fields, err := s.signed(raw, signatures, signature)
	if err != nil {
		return nil, err
	}
	seconds, _ := fields["time"].(float64)
	return &Pong{text(fields["redirect_uri"]), int64(seconds)}, nil
}

// call returns body, signatures and the request's signature of a response 200.
func (s SSO) call(path, label string, body []byte, limit time.Duration) ([]byte, []string, string, error) {
	signature := s.Sign(append([]byte(label), body...))
	context, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	request, err := http.NewRequestWithContext(context, "POST", s.IdP+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-SSO-Client", s.Client)
	request.Header.Set("X-SSO-Signature", signature)
	response, err := transport.Do(request)
	if err != nil {
		return nil, nil, "", fmt.Errorf("no response: %q", err.Error())
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, 64<<10+1))
	if err != nil {
		return nil, nil, "", fmt.Errorf("no response: %q", err.Error())
	}
	if response.StatusCode != 200 {
		var fields map[string]interface{}
		_ = json.Unmarshal(raw, &fields)
		return nil, nil, "", &AnswerError{response.StatusCode, readable(fields["error"]), readable(fields["error_description"])}
	}
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "application/json" {
		return nil, nil, "", errors.New("response is not JSON")
	}
	if len(raw) > 64<<10 {
		return nil, nil, "", errors.New("response too large")
	}
	return raw, response.Header.Values("X-SSO-Signature"), signature, nil
}
