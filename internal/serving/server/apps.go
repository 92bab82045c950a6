package server

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// A host that declares the extension for apps shows a document of the server beside the result of a call: a view, in a
// frame of its own. The document is the same for all calls; what it shows of one is in _meta of the result. Clients that
// do not declare the extension get neither.

// AppsExtension is the name of the extension; revision 2026-01-26 of it is what views are made for.
const AppsExtension = "io.modelcontextprotocol/ui"

// appMIMEType is the type of a view, which a client has to name among those that it shows.
const appMIMEType = "text/html;profile=mcp-app"

// ShownMeta is the key in _meta of a result for what its view shows.
const ShownMeta = "toolgraph/view"

// App is the view of results.
type App struct {
	URI, Name, Title, Description string        // of its resource; the URI begins with ui://
	HTML                          func() string // the document, which asks for nothing from elsewhere
}

// resource returns the entry of resources/list.
func (a *App) resource() Resource {
	return Resource{URI: a.URI, Name: a.Name, Title: a.Title, Description: a.Description, MIMEType: appMIMEType}
}

// content returns the document. It needs no address of the network, and draws its own ground.
func (a *App) content() Content {
	return Content{URI: a.URI, MIMEType: appMIMEType, Text: a.HTML(), Meta: []byte(`{"ui":{"prefersBorder":true}}`)}
}

// declaresApps reports whether a client shows views of this server's kind.
func declaresApps(capabilities []byte) bool {
	var of struct {
		MIMETypes []string `json:"mimeTypes"`
	}
	return json.Unmarshal(extensionIn(capabilities, AppsExtension), &of) == nil && slices.Contains(of.MIMETypes, appMIMEType)
}

// showsApps notes whether the client of a request shows views: a client of the modern era says so in the request, one
// of the legacy era has said so before.
func (s *Server) showsApps(m *message, at era, said bool) {
	if s.opts.App == nil || at == refused {
		return
	}
	if m.apps = said; at == modern {
		m.apps = declaresApps(m.capabilities)
	}
}

// able adds to the answer of a handshake what a client with views has to know: that there are resources, and in the
// modern era that the server has the extension.
func (s *Server) able(m *message, can *mcp.ServerCapabilities, modern bool) {
	if s.opts.App == nil || !declaresApps(m.declared()) {
		return
	}
	if can.Resources == nil {
		can.Resources = &struct {
			Subscribe   bool `json:"subscribe,omitempty"`
			ListChanged bool `json:"listChanged,omitempty"`
		}{}
	}
	if !modern {
		return
	}
	if can.Extensions == nil {
		can.Extensions = map[string]any{}
	}
	can.Extensions[AppsExtension] = map[string]any{}
}

// appDetails returns the details of the entry of a tool for clients that show its results in a view: those of detailsOf, with
// the URI of the view in _meta. An author who names another view has the last word.
func appDetails(def *config.Tool, uri string) (dst []byte) {
	named := value.AppendString([]byte(`{"resourceUri":`), uri)
	meta := append(append([]byte(`{"ui":`), named...), "}}"...)
	if def.Meta != nil {
		own, isObject := value.ObjectOf(def.Meta.Value())
		if _, has := own.Get("ui"); !isObject || has {
			return detailsOf(def)
		}
		if raw := def.Meta.JSON(); own.Len() > 0 {
			meta = append(append(bytes.Clone(raw[:len(raw)-len("}")]), ','), meta[len("{"):]...)
		}
	}
	without := *def
	without.Meta = nil
	return append(append(detailsOf(&without), `,"_meta":`...), meta...)
}

// takeShown notes what the view of a call shows, if its client has one: it is made for no other.
func (c *call) takeShown(ctx context.Context, a *Answer) {
	if !c.apps || a.Shown == nil {
		return
	}
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	if raw := a.Shown(ctx); raw != nil {
		c.shown = append([]byte(`"`+ShownMeta+`":`), compact(c.from.secrets.RedactJSON(raw))...)
	}
}

type appsKey struct{}

// withApps returns a context for the results of tasks, which no call of their client is answered with.
func withApps(ctx context.Context, m *message) context.Context {
	return context.WithValue(ctx, appsKey{}, m.apps)
}

func appsOf(ctx context.Context) bool {
	apps, _ := ctx.Value(appsKey{}).(bool)
	return apps
}
