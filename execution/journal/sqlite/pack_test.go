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

// A small batch amid load does not stop it for as long as all packs take: it unpacks some of them, and the next ones
// the rest.
func TestSmallBatchUnpacksSome(t *testing.T) {
	s := newDatabase(t.TempDir(), false)
	defer s.Close(true)
	write := func(prefix string, runs int) {
		t.Helper()
		batch := make([]*journal.Pending, runs)
		for i := range batch {
			batch[i] = ended(fmt.Sprintf("%s-%d", prefix, i))
		}
		if err := s.Write(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	const packs, each = 3, unpackRun / 2
	for p := range packs {
		write(fmt.Sprintf("RUN%d", p), each)
	}
	for i, want := range []int{packs - 2, 0, 0} {
		write(fmt.Sprintf("SMALL%d", i), 1)
		if got := count(t, s, "packs"); got != want {
			t.Errorf("after %d small batches: %d packs, want %d", i+1, got, want)
		}
	}
	if s.unpacked != 0 {
		t.Errorf("%d bytes are thought to be packed", s.unpacked)
	}
	if runs := count(t, s, "runs"); runs != packs*each+3 {
		t.Errorf("%d runs", runs)
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
