package sqlite

import (
	"fmt"
	"reflect"
	"testing"

	"toolgraph/execution/journal"
)

// A pack has all columns of a run.
func TestNoColumnIsDropped(t *testing.T) {
	var last journal.Row
	p := &journal.Pending{Body: journal.Chunk{Body: []byte("body"), Sums: []byte("sums")}}
	row := reflect.ValueOf(&p.Row).Elem()
	n := 0
	var fill func(reflect.Value)
	fill = func(v reflect.Value) {
		for i := range v.NumField() {
			n++
			switch f := v.Field(i); f.Kind() {
			case reflect.String:
				f.SetString(fmt.Sprint("text", n))
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Struct:
				fill(f)
			default:
				f.SetInt(int64(n))
			}
		}
	}
	fill(row)
	p.Seq = 0
	for range 2 { // the second refers to the first
		before := last
		got, ok := unpackedRun(packed(p, nil, &last), &before)
		if !ok || !reflect.DeepEqual(got, p) {
			t.Errorf("%+v, %v; want %+v", got, ok, p)
		}
	}
}

// Packed runs get their rows some at a time, in the order in which they were packed, however their ids are ordered: while nothing is written, and
// after a batch only when there are many.
func TestUnpackSome(t *testing.T) {
	s := newDatabase(t.TempDir(), false)
	defer s.Close(true)
	const packs, each = 3, unpackFew / 2
	write := func(pack, runs int) {
		t.Helper()
		batch := make([]*journal.Pending, runs)
		for i := range batch {
			batch[i] = ended(fmt.Sprintf("%d-%d-%d", i*7919%10, pack, i))
		}
		if err := s.Write(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	for p := range packs {
		write(p, each)
	}
	write(packs, 1)
	if got := count(t, s, "packs"); got != packs {
		t.Errorf("%d packs after a small batch, want %d", got, packs)
	}
	for i, want := range []int{packs - 2, 0, 0} {
		more, err := s.Unpack(t.Context())
		if got := count(t, s, "packs"); err != nil || got != want || more != (i < 2) { // the last one finds none
			t.Errorf("%d packs, %t, %v, want %d", got, more, err, want)
		}
	}
	if runs := count(t, s, "runs"); runs != packs*each+1 {
		t.Errorf("%d runs", runs)
	}
	db, err := s.Open(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.QueryContext(t.Context(), `SELECT id FROM runs WHERE id NOT LIKE '%-3-0' ORDER BY seq`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for n := 0; rows.Next(); n++ {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%d-%d-%d", n%each*7919%10, n/each, n%each); id != want {
			t.Fatalf("row %d is of %s, want %s", n, id, want)
		}
	}
	for p := range packs {
		write(packs+1+p, each)
	}
	s.unpacked = packMost
	write(2*packs+1, 1)
	if got := count(t, s, "packs"); got != 0 {
		t.Errorf("%d packs although there were many", got)
	}
}

// ended is a run that has begun and ended in its batch.
func ended(id string) *journal.Pending {
	return &journal.Pending{
		Row:  journal.Row{ID: id, Tool: "tool", Status: journal.Finished, Started: 1, Ended: 2, Last: 2},
		Body: journal.Chunk{Body: []byte("body"), Sums: []byte("sums")},
	}
}

func count(t *testing.T, s *Database, table string) (n int) {
	t.Helper()
	db, err := s.Open(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
