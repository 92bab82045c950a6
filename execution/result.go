package execution

import "slices"

// History returns all records in the order of their addresses.
func (r *Result) History() []Record {
	records := r.records
	if len(r.below) > 0 {
		records = r.sorted(append(slices.Clip(r.below), records...))
	}
	all := make([]Record, len(records))
	for i, rec := range records {
		all[i] = *rec
	}
	return all
}

// Compare orders two addresses of the run as History does: by place, with the steps of a block in the order of
// the file.
func (r *Result) Compare(a, b Address) int {
	if r.begun == nil {
		return a.Compare(b)
	}
	return a.CompareIn(b, func(at Address) []string { return r.begun[at].names() })
}

// Parts returns the parts that have begun, by the execution or the part that they are of: items that were cancelled have no record.
func (r *Result) Parts() map[Address]Parts {
	all := make(map[Address]Parts, len(r.begun))
	for at, of := range r.begun {
		all[at] = of.Parts
	}
	return all
}

// sorted sorts records by their addresses, which are made once each.
func (r *Result) sorted(records []*Record) []*Record {
	at := make(map[*Record]Address, len(records))
	for _, rec := range records {
		at[rec] = rec.At()
	}
	slices.SortStableFunc(records, func(a, b *Record) int { return r.Compare(at[a], at[b]) })
	return records
}
