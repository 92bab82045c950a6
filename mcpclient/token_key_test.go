package mcpclient

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/internal/base/files"
)

// memory is a secret store of a test. It waits for held, if that is not nil.
type memory struct {
	mu      sync.Mutex // guards what follows
	secrets map[string]string
	fault   error
	asked   int
	held    chan struct{}
}

func (m *memory) Get(name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	if held := m.held; held != nil {
		m.mu.Unlock()
		<-held
		m.mu.Lock()
	}
	return m.secrets[name], m.fault
}

func (m *memory) Set(name, secret string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault == nil {
		m.secrets[name] = secret
	}
	return m.fault
}

// tokenPlace is a directory of tokens, and what is in its one token file.
type tokenPlace struct {
	t   *testing.T
	dir string
}

func (p tokenPlace) file() string {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.dir, "*.json"))
	if err != nil || len(found) != 1 {
		p.t.Fatal(found, err)
	}
	src, err := os.ReadFile(found[0])
	if err != nil {
		p.t.Fatal(err)
	}
	return string(src)
}

func (p tokenPlace) pool(g *guarded, more ...Option) *Pool {
	return pool(p.t, g.upstream("/mcp"), append([]Option{withAdjust(allowPrivate), WithTokenDir(p.dir)}, more...)...)
}

func isPlain(file string) bool { return strings.Contains(file, "access_token") }

// Where there is a secret store, a token is encrypted with a key that only the store has: other processes read it, a renewal stays
// encrypted and asks the store once a process, and without the store, or with another key, nothing of it can be read.
func TestTokensAreEncrypted(t *testing.T) {
	g, store := newGuarded(t, 20), &memory{secrets: map[string]string{}} // a token of 20 s is renewed at once
	at := tokenPlace{t, filepath.Join(t.TempDir(), "tokens")}
	p := at.pool(g, WithSecretStore(store, false))
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	place, err := p.Login(ctx, "fake", agree(t))
	if err != nil || !strings.HasSuffix(place, "encrypted with a key in the secret store of the system") {
		t.Fatal(place, err)
	}
	first := at.file()
	if isPlain(first) || strings.Contains(first, "client-1") {
		t.Errorf("the file is %s", first)
	}
	other := at.pool(g, WithSecretStore(store, false))
	before := store.asked
	for range 3 {
		if _, err := callTool(other, "echo", `{}`); err != nil {
			t.Fatal(err)
		}
	}
	if now := at.file(); now == first || isPlain(now) {
		t.Errorf("after a renewal the file is %s", now)
	}
	if asked := store.asked - before; asked != 1 {
		t.Errorf("the store was asked %d times, want once", asked)
	}
	for want, store := range map[string]*memory{
		"this process does not use the secret store":   nil,
		"the secret store of the system does not have": {secrets: map[string]string{}},
		"locked":                     {fault: errors.New("locked")},
		"encrypted with another key": {secrets: map[string]string{keyName: strings.Repeat("A", 43) + "="}},
		"the secret store of the system does not have ": {secrets: map[string]string{keyName: "short"}},
	} {
		option := WithSecretStore(store, false)
		if store == nil {
			option = WithSecretStore(nil, false)
		}
		if e := mustFail(t, at.pool(g, option), "echo", `{}`, CodeLoginNeeded); !strings.Contains(e.Error(), strings.TrimSpace(want)) {
			t.Errorf("want %q: %v", want, e)
		}
	}
}

// Without a secret store a token is a file as before, and the login says why; where the store is required, there is no token. A file
// that is not encrypted is read and renewed as it is, and encrypted by the next login.
func TestTokensWithoutAStore(t *testing.T) {
	g, away := newGuarded(t, 20), &memory{fault: errors.New("no bus")}
	at := tokenPlace{t, filepath.Join(t.TempDir(), "tokens")}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	if _, err := at.pool(g, WithSecretStore(away, true)).Login(ctx, "fake", agree(t)); err == nil || !strings.Contains(err.Error(), "no bus") {
		t.Errorf("required: %v", err)
	}
	place, err := at.pool(g, WithSecretStore(away, false)).Login(ctx, "fake", agree(t))
	if err != nil || !strings.Contains(place, "it is not encrypted: no bus") || !isPlain(at.file()) {
		t.Fatal(place, err)
	}
	store := &memory{secrets: map[string]string{}}
	p := at.pool(g, WithSecretStore(store, false))
	if _, err := callTool(p, "echo", `{}`); err != nil {
		t.Fatal(err)
	}
	if !isPlain(at.file()) || store.asked != 0 {
		t.Errorf("a call asked the store %d times for %s", store.asked, at.file())
	}
	if _, err := p.Login(ctx, "fake", agree(t)); err != nil || isPlain(at.file()) {
		t.Error(at.file(), err)
	}
}

// A store that waits for its user does not hold up a call for longer than its patience, and is asked once at a time.
func TestTokenStoreThatWaits(t *testing.T) {
	store := &memory{secrets: map[string]string{keyName: strings.Repeat("A", 43) + "="}, held: make(chan struct{})}
	k := &tokenKey{store: store, patience: time.Millisecond}
	for range 3 {
		if _, err := k.get(t.Context(), false); err == nil || !strings.Contains(err.Error(), "has not answered within 1ms; unlock it") {
			t.Errorf("the error is %v", err)
		}
	}
	close(store.held)
	k.patience = patience
	if key, err := k.get(t.Context(), false); err != nil || len(key) != keySize || store.asked != 1 {
		t.Errorf("%d bytes, %v, asked %d times", len(key), err, store.asked)
	}
}

// A token file that was copied to the name of another server's is not read, and a changed one is damaged.
func TestEncryptedTokensBelongToOneServer(t *testing.T) {
	key := make([]byte, keySize)
	k := &tokenKey{key: key, store: &memory{}}
	s, err := seal(key, &grant{Server: "https://a.example/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.open(t.Context(), k); err != nil {
		t.Error(err)
	}
	moved := *s
	moved.Server = "https://b.example/mcp"
	changed := *s
	changed.Sealed = append([]byte{s.Sealed[0] ^ 1}, s.Sealed[1:]...)
	for _, bad := range []*sealed{&moved, &changed} {
		if _, err := bad.open(t.Context(), k); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("the error is %v", err)
		}
	}
}

// A logout deletes the token; the next one finds none.
func TestLogout(t *testing.T) {
	p, _ := loggedIn(t, newGuarded(t, 3600))
	for _, want := range []bool{true, false} {
		if was, err := p.Logout(t.Context(), "fake"); err != nil || was != want {
			t.Errorf("%v, %v, want %v", was, err, want)
		}
	}
}

// Of two logins that find no key, one makes it: the other waits.
func TestOneLoginMakesTheKey(t *testing.T) {
	store := &memory{secrets: map[string]string{}}
	f := &tokenFile{dir: t.TempDir(), name: "a.json", keys: &tokenKey{store: store, patience: patience}}
	unlock, err := files.LockFile(t.Context(), filepath.Join(f.dir, "key.lock"))
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.makeKey(ended); err == nil || store.asked != 0 {
		t.Errorf("the store was asked %d times beside another login: %v", store.asked, err)
	}
	unlock()
	if err := f.makeKey(t.Context()); err != nil || store.secrets[keyName] == "" {
		t.Error(store.secrets, err)
	}
}
