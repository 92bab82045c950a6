package config

import "fmt"

// grants reads how far a server is trusted, what it may ask of us, and how we are
// authorized by it.
func (d *decoder) grants(u *Upstream, fs *fields) {
	u.AllowPrivate, u.Trusted = fs.boolean("allowPrivate"), fs.boolean("trusted")
	for _, it := range fs.list("allow") {
		switch word, _ := it.looseText(); word.Value {
		case "elicitation":
			u.AllowElicit = true
		case "sampling", "roots":
			d.found.Add(it.pos, "unknown-value", fmt.Sprintf("allow of %s names %s, expected elicitation", fs.who, word.Value),
				"a graph has no model to sample and no roots; such requests are always refused")
		default:
			what := it.describe()
			if word.IsSet() {
				what = quoted(shortened(word.Value))
			}
			d.found.Add(it.pos, "unknown-value", fmt.Sprintf("allow of %s has %s, expected elicitation", fs.who, what),
				meant(word.Value, []string{"elicitation"}, ""))
		}
	}
	if it := fs.get("oauth"); it != nil {
		u.OAuth = d.oauth(it, fs)
	}
}

// oauth is never nil, so that what follows from there being one can be checked.
func (d *decoder) oauth(it *item, server *fields) *OAuth {
	o := &OAuth{}
	fs := d.open(it, &oauthForm, "oauth of "+server.who)
	if fs == nil {
		return o
	}
	if id := fs.text("clientId"); id.IsSet() {
		o.ClientID = d.expand(id, usage{field: "clientId", owner: fs.who}).Value
	}
	for i, scope := range fs.list("scopes") {
		text, ok := scope.looseText()
		if !ok {
			d.found.Add(scope.pos, "wrong-type", fmt.Sprintf("scope %d of %s is %s, expected text", i+1, fs.who, scope.describe()), "")
			continue
		}
		o.Scopes = append(o.Scopes, text.Value)
	}
	leaves := oauthLeaves{RedirectPort: fs.integer("redirectPort", 0)}
	fs.check(leaves)
	o.RedirectPort = leaves.RedirectPort
	return o
}

type oauthLeaves struct {
	RedirectPort int `key:"redirectPort" validate:"gte=0,lte=65535"`
}
