// Runs the calls of a file on the Go sample of docs/protocol.md: the file and the results are JSON arrays.
package main

import (
	"encoding/json"
	"errors"
	"os"

	"trial/sso"
)

type call struct {
	Call, IdP, Client, Secret, Token string
	RedirectURI                      string `json:"redirect_uri"`
	CodeVerifier                     string `json:"code_verifier"`
	Body                             []byte
	Signatures                       []string
	RequestSignature                 string `json:"request_signature"`
}

type result struct {
	Text        string     `json:"text,omitempty"`
	Reply       *sso.Reply `json:"reply,omitempty"`
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
		}
		results = append(results, r)
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}
