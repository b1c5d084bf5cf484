// A service in Go. go-oidc, which Kubernetes and Argo CD use, checks the ID tokens.
//
//	apt install golang-go golang-github-coreos-go-oidc-dev golang-golang-x-oauth2-dev
//	GO111MODULE=off GOPATH=/usr/share/gocode go build -o service main.go
//
// Register: redirect_uris [ORIGIN/callback], post_logout_redirect_uris [ORIGIN/]
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"html/template"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	oidc "github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

type user struct {
	// Subject never changes; an address may.
	Subject string `json:"sub"`
	Email   string `json:"email"`
	idToken string
}

// attempt is a sign-in that this browser has begun.
type attempt struct{ state, nonce, verifier string }

// session is what this service keeps for one browser.
type session struct {
	attempt attempt
	user    *user
}

type service struct {
	provider *oidc.Provider
	logout   string
	origin   string
	oauth    oauth2.Config
	mutex    sync.Mutex
	sessions map[string]session
}

// client makes the calls to the identity provider. The default one waits without an end.
var client = &http.Client{Timeout: 10 * time.Second}

func random() string {
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}

func (s *service) read(request *http.Request) (string, session) {
	cookie, err := request.Cookie("session")
	if err != nil {
		return "", session{}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return cookie.Value, s.sessions[cookie.Value]
}

// begin gives the browser a new session in place of the one it had.
func (s *service) begin(writer http.ResponseWriter, old string, next session) {
	key := random()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.sessions, old)
	s.sessions[key] = next
	http.SetCookie(writer, &http.Cookie{
		Name: "session", Value: key, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: strings.HasPrefix(s.origin, "https:")})
}

var page = template.Must(template.New("page").Parse(`<!doctype html><title>Go</title>
{{if .}}<p>Hello <span id="email">{{.Email}}</span>, you are {{.Subject}}.</p>
<form method="post" action="/sign-out"><button id="sign-out">Sign out</button></form>
{{else}}<p><a id="sign-in" href="/sign-in">Sign in with Main App</a></p>{{end}}`))

func (s *service) home(writer http.ResponseWriter, request *http.Request) {
	_, found := s.read(request)
	if err := page.Execute(writer, found.user); err != nil {
		log.Print(err)
	}
}

func (s *service) signIn(writer http.ResponseWriter, request *http.Request) {
	old, _ := s.read(request)
	next := attempt{random(), random(), random()}
	s.begin(writer, old, session{attempt: next})
	digest := sha256.Sum256([]byte(next.verifier))
	address := s.oauth.AuthCodeURL(next.state, oidc.Nonce(next.nonce),
		oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(digest[:])),
		oauth2.SetAuthURLParam("code_challenge_method", "S256"))
	http.Redirect(writer, request, address, http.StatusFound)
}

func (s *service) callback(writer http.ResponseWriter, request *http.Request) {
	old, found := s.read(request)
	begun, query := found.attempt, request.URL.Query()
	if begun.state == "" || subtle.ConstantTimeCompare([]byte(begun.state), []byte(query.Get("state"))) != 1 {
		http.Error(writer, "This sign-in did not begin here. Begin again.", http.StatusBadRequest)
		return
	}
	user, err := s.redeem(oidc.ClientContext(request.Context(), client), query.Get("code"), begun)
	if err != nil {
		log.Print(err)
		http.Error(writer, "The sign-in did not work. Begin again.", http.StatusForbidden)
		return
	}
	s.begin(writer, old, session{user: user})
	http.Redirect(writer, request, "/", http.StatusSeeOther)
}

func (s *service) redeem(context context.Context, code string, begun attempt) (*user, error) {
	token, err := s.oauth.Exchange(context, code, oauth2.SetAuthURLParam("code_verifier", begun.verifier))
	if err != nil {
		return nil, err
	}
	raw, _ := token.Extra("id_token").(string)
	verified, err := s.provider.Verifier(&oidc.Config{ClientID: s.oauth.ClientID}).Verify(context, raw)
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(begun.nonce)) != 1 {
		return nil, errors.New("the nonce is not this browser's")
	}
	user := &user{idToken: raw}
	return user, verified.Claims(user)
}

func (s *service) signOut(writer http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		http.Error(writer, "This address takes a POST.", http.StatusMethodNotAllowed)
		return
	}
	old, found := s.read(request)
	s.begin(writer, old, session{})
	address := "/"
	if found.user != nil {
		address = s.logout + "?" + url.Values{
			"id_token_hint":            {found.user.idToken},
			"post_logout_redirect_uri": {s.origin + "/"},
		}.Encode()
	}
	http.Redirect(writer, request, address, http.StatusSeeOther)
}

func main() {
	provider, err := oidc.NewProvider(oidc.ClientContext(context.Background(), client), os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	var metadata struct {
		Logout string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&metadata); err != nil {
		log.Fatal(err)
	}
	origin := os.Getenv("ORIGIN")
	service := &service{
		provider: provider, logout: metadata.Logout, origin: origin, sessions: map[string]session{},
		oauth: oauth2.Config{
			ClientID: os.Getenv("CLIENT_ID"), ClientSecret: os.Getenv("CLIENT_SECRET"),
			Endpoint: provider.Endpoint(), RedirectURL: origin + "/callback",
			Scopes: []string{oidc.ScopeOpenID, "profile", "email", "groups"},
		},
	}
	http.HandleFunc("/", service.home)
	http.HandleFunc("/sign-in", service.signIn)
	http.HandleFunc("/callback", service.callback)
	http.HandleFunc("/sign-out", service.signOut)
	server := &http.Server{Addr: os.Getenv("HOST") + ":" + os.Getenv("PORT"), ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
