// Package web is the debugger's page as the browser gets it: a script, another one with the
// editor of the file, which is loaded when it is needed, a stylesheet, a document and the
// licences of what is bundled. Its sources are in src, for Node to build (make web); what is
// built is in dist, in the repository and in the binary, so that Go alone is needed to build that.
//
// The page knows its server only by the paths below /api, which package page describes.
package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"sync"
)

//go:embed dist
var dist embed.FS

// Files are index.html, app.js, editor.js, app.css, icon.svg and LICENSES.txt.
func Files() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}

//go:embed app/run.html.gz
var view []byte

// View returns the document that MCP hosts show of one run: the graph and the steps of the page in one file, which asks
// for nothing and shows what its host gives it.
var View = sync.OnceValue(func() string {
	r, err := gzip.NewReader(bytes.NewReader(view))
	if err != nil {
		panic(err) // a test reads it
	}
	src, err := io.ReadAll(r)
	if err != nil {
		panic(err) // likewise
	}
	return string(src)
})
