package simulation

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// The messages of Postgres between a process and the server of a simulation, as far as they are used: a simple query, its
// rows as text, and notifications.

// The kinds of values that a column of an answer can have, as Postgres numbers them.
const (
	boolType   = 16
	bytesType  = 17
	intType    = 20
	textType   = 25
	manyOfInts = 1016
)

// Requests before a connection is there.
const (
	wantsTLS     = 80877103
	wantsCancel  = 80877102
	mostStartup  = 10_000
	mostMessages = 64 << 20 // bytes
)

// pgMessage appends a message of the server.
func pgMessage(dst []byte, kind byte, body []byte) []byte {
	dst = append(dst, kind)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(body)+4))
	return append(dst, body...)
}

func zeroed(parts ...string) (body []byte) {
	for _, p := range parts {
		body = append(append(body, p...), 0)
	}
	return body
}

// greeting is what a server says to a client that may use it.
func greeting(pid uint32) []byte {
	out := pgMessage(nil, 'R', []byte{0, 0, 0, 0})
	for _, set := range [][2]string{{"server_version", "17.0"}, {"client_encoding", "UTF8"}, {"standard_conforming_strings", "on"}, {"DateStyle", "ISO"}, {"TimeZone", "UTC"}} {
		out = pgMessage(out, 'S', zeroed(set[0], set[1]))
	}
	out = pgMessage(out, 'K', binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, pid), 1))
	return pgMessage(out, 'Z', []byte{'I'})
}

// column is one of an answer.
type column struct {
	name string
	kind uint32
}

// appendRows appends rows; a nil value is NULL.
func appendRows(out []byte, columns []column, rows [][][]byte) []byte {
	body := binary.BigEndian.AppendUint16(nil, uint16(len(columns)))
	for _, c := range columns {
		body = append(body, zeroed(c.name)...)
		body = append(body, 0, 0, 0, 0, 0, 0)
		body = binary.BigEndian.AppendUint32(body, c.kind)
		body = append(body, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0)
	}
	out = pgMessage(out, 'T', body)
	for _, row := range rows {
		body = binary.BigEndian.AppendUint16(body[:0], uint16(len(row)))
		for _, v := range row {
			if v == nil {
				body = append(body, 0xff, 0xff, 0xff, 0xff)
				continue
			}
			body = binary.BigEndian.AppendUint32(body, uint32(len(v)))
			body = append(body, v...)
		}
		out = pgMessage(out, 'D', body)
	}
	return out
}

// refusal is an error of the server.
type refusal struct{ code, text, detail string }

func (r *refusal) Error() string { return r.text + " (" + r.code + ")" }

func appendRefusal(out []byte, r *refusal) []byte {
	parts := []string{"SERROR", "VERROR", "C" + r.code, "M" + r.text}
	if r.detail != "" {
		parts = append(parts, "D"+r.detail)
	}
	return pgMessage(out, 'E', append(zeroed(parts...), 0))
}

// notification reports a change to a client that listens.
func notification(channel, topic string) []byte {
	return pgMessage(nil, 'A', append([]byte{0, 0, 0, 1}, zeroed(channel, topic)...))
}

var errNoStartup = errors.New("the client wants no connection")

// acceptStartup reads how a connection begins.
func acceptStartup(on net.Conn) error {
	for {
		var head [8]byte
		if _, err := io.ReadFull(on, head[:]); err != nil {
			return err
		}
		size, code := binary.BigEndian.Uint32(head[:]), binary.BigEndian.Uint32(head[4:])
		switch {
		case code == wantsTLS:
			if _, err := on.Write([]byte{'N'}); err != nil {
				return err
			}
			continue
		case code == wantsCancel:
			return errNoStartup
		case size < 8 || size > mostStartup:
			return fmt.Errorf("a startup of %d bytes", size)
		}
		_, err := io.CopyN(io.Discard, on, int64(size)-8)
		return err
	}
}

// readMessage reads a message of the client.
func readMessage(on net.Conn) (kind byte, body []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(on, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if size < 4 || size > mostMessages {
		return 0, nil, fmt.Errorf("a message of %d bytes", size)
	}
	body = make([]byte, size-4)
	_, err = io.ReadFull(on, body)
	return head[0], body, err
}
