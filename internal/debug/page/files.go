package page

import (
	"io/fs"
	"net/http"

	"toolgraph/internal/debug/web"
)

// kinds are the files and their types: those that a machine has for their names may be
// others, and browsers run no script that is sent as text.
var kinds = map[string]string{
	"index.html":   "text/html; charset=utf-8",
	"app.js":       "text/javascript; charset=utf-8",
	"app.css":      "text/css; charset=utf-8",
	"icon.svg":     "image/svg+xml",
	"LICENSES.txt": "text/plain; charset=utf-8",
}

// routeFiles serves each file of the page by its own path, and nothing else.
func routeFiles(mux *http.ServeMux) {
	files := web.Files()
	for name, kind := range kinds {
		pattern := "GET /" + name
		if name == "index.html" {
			pattern = "GET /{$}"
		}
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			src, err := fs.ReadFile(files, name)
			if err != nil {
				fail(w, err)
				return
			}
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(src) // the browser may have gone
		})
	}
}
