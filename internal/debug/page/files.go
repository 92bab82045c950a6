package page

import (
	"io/fs"
	"mime"
	"net/http"
	"path"

	"toolgraph/internal/debug/web"
)

// routeFiles serves each file of the page by its own path, and nothing else.
func routeFiles(mux *http.ServeMux) {
	files := web.Files()
	for _, name := range []string{"index.html", "app.js", "app.css", "icon.svg", "LICENSES.txt"} {
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
			w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
			_, _ = w.Write(src) // the browser may have gone
		})
	}
}
