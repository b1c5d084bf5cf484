// Runs the calls of a file on the Go sample of examples/partners: the file and the results are JSON arrays.
package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"time"

	"trial/sso"
)

type call struct {
	Call, IdP, Client, Secret, Token string
	RedirectURI                      string `json:"redirect_uri"`
	CodeVerifier                     string `json:"code_verifier"`
	Body                             []byte
	Signatures                       []string
	RequestSignature                 string `json:"request_signature"`
	Headers                          [][2]string
	Now                              int64
	Session, User                    string
}

type result struct {
	Text        string     `json:"text,omitempty"`
	Reply       *sso.Reply `json:"reply,omitempty"`
	State       *sso.State `json:"state,omitempty"`
	Event       *sso.Event `json:"event,omitempty"`
	Pong        *sso.Pong  `json:"pong,omitempty"`
	Status      int        `json:"status,omitempty"`
	Refused     string     `json:"refused,omitempty"`
	Error       string     `json:"error,omitempty"`
	Description string     `json:"description,omitempty"`
}

func run(c call) (result result, err error) {
	s := sso.SSO{IdP: c.IdP, Client: c.Client, Secret: c.Secret}
	switch c.Call {
	case "body":
		var body []byte
		body, err = s.Body(c.Token, c.RedirectURI, c.CodeVerifier)
		result.Text = string(body)
	case "sign":
		result.Text = s.Sign(c.Body)
	case "check":
		result.Reply, err = s.Check(c.Body, c.Signatures, c.RequestSignature)
	case "event":
		headers := http.Header{}
		for _, pair := range c.Headers {
			headers.Add(pair[0], pair[1])
		}
		sso.Now = func() time.Time { return time.Unix(c.Now, 0) }
		result.Event, err = s.Event(c.Body, headers)
	case "check_session":
		result.State, err = s.CheckSession(c.Body, c.Signatures, c.RequestSignature, c.User)
	case "session":
		result.State, err = s.Session(c.Session, c.User)
	case "ping":
		result.Pong, err = s.Ping(c.RedirectURI)
	case "verify":
		result.Reply, err = s.Verify(c.Token, c.RedirectURI, c.CodeVerifier)
	}
	return
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var calls []call
	if err := json.Unmarshal(text, &calls); err != nil {
		panic(err)
	}
	results := []result{}
	for _, c := range calls {
		r, err := run(c)
		if err != nil {
			r = result{Refused: err.Error()}
			var refusal *sso.AnswerError
			if errors.As(err, &refusal) {
				r.Error, r.Description = refusal.Code, refusal.Description
			}
			var event *sso.EventError
			if errors.As(err, &event) {
				r.Status = event.Status
			}
		}
		results = append(results, r)
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}
