package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// oauth returns never nil, so that other fields can be checked against it.
func (d *decoder) oauth(it *item, server *fields, from place) *OAuth {
	o := &OAuth{}
	fs := d.open(it, oauthForm(), "oauth of "+server.who)
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
	o.RedirectPort = fs.integer("redirectPort")
	o.Machine = fs.word("grant") == "client_credentials"
	o.Issuer = fs.text("issuer").Value
	o.SecretIn = fs.word("clientAuth")
	d.clientSecrets(o, fs, from)
	return o
}

// clientSecrets decodes the secret of a client, or its key. Neither is ever written in the file.
func (d *decoder) clientSecrets(o *OAuth, fs *fields, from place) {
	given := ""
	for _, name := range []string{"clientSecret", "privateKey", "privateKeyFile"} {
		switch text := fs.text(name); {
		case !text.IsSet():
		case given != "":
			fs.add(name, "bad-client-secret", "is given beside "+given+", expected one of them", "remove one")
		case name != "privateKeyFile" && !fromVariable(text.Value):
			fs.add(name, "bad-client-secret", "is written in the file", "put it into a variable of the environment, and write ${NAME}")
		default:
			given = name
			d.clientSecret(o, fs, name, text, from)
		}
	}
	key := given == "privateKey" || given == "privateKeyFile"
	switch {
	case given != "" && o.ClientID == "" && fs.get("clientId") == nil:
		fs.add(given, "bad-client-secret", "has no clientId beside it", "add the clientId that the authorization server gave with it")
	case key && !o.Machine:
		fs.add(given, "bad-client-secret", "is for the login of a machine", "add grant: client_credentials")
	case o.Machine && given == "" && len(fs.bad) == 0:
		fs.add("grant", "bad-client-secret", "needs clientSecret, privateKey or privateKeyFile", "add one of them, and clientId")
	}
	if o.SecretIn != "" && given != "clientSecret" && len(fs.bad) == 0 {
		fs.add("clientAuth", "bad-client-secret", "is for a clientSecret, and there is none", "remove it")
	}
}

// fromVariable reports whether a text is one ${NAME} and nothing else. A default would be a secret in the file.
func fromVariable(text string) bool {
	name, ok := strings.CutPrefix(text, "${")
	name, ends := strings.CutSuffix(name, "}")
	return ok && ends && !strings.ContainsAny(name, "${}") && !strings.Contains(name, ":-")
}

func (d *decoder) clientSecret(o *OAuth, fs *fields, name string, text Text, from place) {
	before := len(d.found)
	value := d.expand(text, usage{field: name, owner: fs.who, secret: name != "privateKeyFile", plain: name == "privateKeyFile"}).Value
	switch {
	case d.found[before:].Err() != nil || d.assume && value != text.Value: // the value is unknown
		return
	case name == "clientSecret":
		o.ClientSecret = value
		return
	case !o.Machine: // reported by clientSecrets
		return
	}
	var err error
	if name == "privateKey" {
		o.Key, err = parseClientKey(value)
	} else {
		var base string
		if !filepath.IsAbs(value) {
			if base, err = directory(from.file); err == nil {
				value = filepath.Join(base, value)
			}
		}
		if err == nil {
			o.Key, err = readClientKey(value)
		}
	}
	if err != nil {
		fs.add(name, "bad-client-secret", err.Error(), "")
	}
}
