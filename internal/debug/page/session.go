package page

import "net/http"

// openSession trades the token for a cookie that scripts cannot read and that other
// pages' requests do not carry.
func (s *Server) openSession(w http.ResponseWriter, r *http.Request) {
	const most = 4 << 10 // bytes: whoever asks is not known yet
	r.Body = http.MaxBytesReader(w, r.Body, most)
	var in struct{ Token string }
	if err := read(r, &in); err != nil {
		fail(w, err)
		return
	}
	if !same(in.Token, s.token) {
		fail(w, &failure{status: http.StatusUnauthorized, Message: "this is not the token", Hint: "open the address that toolgraph ui printed last"})
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r.Host), Value: s.cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	w.WriteHeader(http.StatusNoContent)
}
