package config

import "time"

func (d *decoder) cache(node *fields) *Cache {
	fs := d.part(node, "cache", cacheForm())
	if fs == nil {
		return nil
	}
	return &Cache{Pos: fs.at.pos, TTL: time.Duration(fs.required("ttlMs")) * time.Millisecond}
}

func (d *decoder) rate(server *fields) *Rate {
	fs := d.part(server, "rate", rateForm())
	if fs == nil {
		return nil
	}
	return &Rate{Pos: fs.at.pos, Calls: fs.required("calls"), Per: time.Duration(fs.required("perMs")) * time.Millisecond}
}

// required is integer for a key that has no default; a missing one is reported.
func (fs *fields) required(name string) int {
	if fs.get(name) == nil {
		fs.require(name, Text{})
	}
	return fs.integer(name)
}
