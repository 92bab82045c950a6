package config

import (
	"fmt"
	"net/url"
	"strings"

	"toolgraph/internal/base/wording"
)

// The limits of what clients get with each tool, because every tools/list repeats it.
const (
	maxMeta     = 16 << 10 // bytes of _meta as compact JSON
	maxIcons    = 8
	maxIcon     = 32 << 10 // bytes of src
	maxIconSize = 16       // entries of sizes
)

const iconSizePattern = `^([1-9][0-9]{0,4}x[1-9][0-9]{0,4}|any)$`

var (
	iconSize  = wording.Pattern(iconSizePattern)
	mediaType = wording.Pattern(`^image/[A-Za-z0-9][A-Za-z0-9.+-]*$`)
	dataImage = wording.Pattern(`^data:image/[A-Za-z0-9][A-Za-z0-9.+-]*(;[^,;\s]+)*,[^\s]+$`)
	metaLabel = wording.Pattern(`^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$`)
	metaName  = wording.Pattern(`^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$`)
)

// meta returns _meta; nil when it is missing or not a mapping.
func (d *decoder) meta(tool *fields) *Data {
	it := tool.get("_meta")
	if it.isNull() {
		return nil
	}
	if it.kind != itemMapping {
		tool.wrong("_meta", "a mapping", "")
		return nil
	}
	for _, key := range it.keys {
		if problem, hint := metaProblem(key.Value); problem != "" {
			d.found.Add(key.Pos, "bad-meta", fmt.Sprintf("key %s in _meta of %s %s", wording.Quote(key.Value), tool.who, problem), hint).Over(key)
		}
	}
	data := d.data(it, "")
	if size := len(data.JSON()); size > maxMeta {
		tool.add("_meta", "bad-meta", fmt.Sprintf("has %d bytes as JSON, expected at most %d", size, maxMeta), "every tools/list repeats it: leave out what clients do not need")
	}
	return data
}

// metaProblem says what is wrong with a key of _meta by the rules of the Model Context Protocol:
// an optional prefix of labels with a slash, then a name. A prefix whose first or second label is
// mcp or modelcontextprotocol is reserved.
func metaProblem(key string) (problem, hint string) {
	prefix, name, hasPrefix := strings.Cut(key, "/")
	if !hasPrefix {
		prefix, name = "", key
	}
	labels := strings.Split(prefix, ".")
	for i, label := range labels {
		if hasPrefix && !metaLabel().MatchString(label) {
			return "has a bad prefix, expected labels of letters, digits and hyphens that begin with a letter, joined by dots", "write it as in com.example/name"
		}
		if i < 2 && (strings.EqualFold(label, "mcp") || strings.EqualFold(label, "modelcontextprotocol")) {
			return "has the prefix " + wording.Quote(prefix+"/") + ", which is reserved for the Model Context Protocol", "use a prefix of your own, such as com.example/"
		}
	}
	if !metaName().MatchString(name) || key == "" {
		return "has a bad name, expected letters, digits and inner hyphens, underscores and dots", "write it as in com.example/name"
	}
	return "", ""
}

// icons returns the icons of a tool or of the server; nil when there are none.
func (d *decoder) icons(owner *fields) *Data {
	list := owner.list("icons")
	if len(list) > maxIcons {
		owner.add("icons", "bad-icon", fmt.Sprintf("has %d icons, expected at most %d", len(list), maxIcons), "keep one for each theme and size that matters")
	}
	for i, it := range list {
		if fs := d.open(it, iconForm(), fmt.Sprintf("icon %d of %s", i+1, owner.who)); fs != nil {
			d.icon(fs)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return d.data(owner.get("icons"), "")
}

func (d *decoder) icon(fs *fields) {
	src := fs.text("src")
	fs.require("src", src)
	switch at, err := url.Parse(src.Value); {
	case src.Value == "" || fs.bad["src"]:
	case len(src.Value) > maxIcon:
		fs.add("src", "bad-icon", fmt.Sprintf("has %d bytes, expected at most %d", len(src.Value), maxIcon), "every tools/list repeats it: use a smaller image, or an https: URL")
	case dataImage().MatchString(src.Value):
	case err != nil || at.Scheme != "https" || at.Host == "" || at.User != nil:
		fs.add("src", "bad-icon", "is "+wording.Quote(src.Value)+", expected https://… or data:image/…", "clients load icons from no other place")
	}
	if mime := fs.text("mimeType"); mime.Value != "" && !mediaType().MatchString(mime.Value) {
		fs.add("mimeType", "bad-icon", "is "+wording.Quote(mime.Value)+", expected the media type of an image", "write it as in image/png")
	}
	sizes := fs.list("sizes")
	if len(sizes) > maxIconSize {
		fs.add("sizes", "bad-icon", fmt.Sprintf("has %d entries, expected at most %d", len(sizes), maxIconSize), "")
	}
	for _, it := range sizes {
		if !iconSize().MatchString(it.word()) {
			d.found.Add(it.pos, "bad-icon", "a size of "+fs.who+" is "+sizeText(it)+", expected WIDTHxHEIGHT or any", "write it as in 48x48")
		}
	}
	fs.word("theme")
}

func sizeText(it *item) string {
	if word := it.word(); word != "" {
		return wording.Quote(word)
	}
	return it.describe()
}
