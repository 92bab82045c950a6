package value

// keyList is the keys of objects that have the same ones in the same order. The lists of a document are a tree: each has one key
// more than the one before it, so that a decoder that goes from key to key ends at the list of the object. An object refers to
// its list, which takes memory once.
type keyList struct {
	before  *keyList
	key     string // the last one
	written string // the key as JSON, with the colon
	count   int

	latest *keyList            // the one with the key that followed at the latest object
	others map[string]*keyList // by the key that follows; nil while there is one at most

	all   []string       // once an object has these keys
	index map[string]int // of all, once there are more than indexFrom
}

const (
	// mostKeys is how many keys the objects with such a list have: a key is compared with all before it.
	mostKeys = 64
	// mostLists is how many lists a document has: one whose objects have hardly a key in common needs another for each.
	mostLists = 1 << 10
)

// then returns the list with one key more; nil when it has that key, or there are too many. made counts the lists.
func (k *keyList) then(key string, made *int) *keyList {
	if k.latest != nil && k.latest.key == key {
		return k.latest
	}
	if next := k.others[key]; next != nil {
		k.latest = next
		return next
	}
	if *made >= mostLists || k.count >= mostKeys {
		return nil
	}
	for has := k; has.before != nil; has = has.before {
		if has.key == key {
			return nil
		}
	}
	*made++
	next := &keyList{before: k, key: key, written: `"` + key + `":`, count: k.count + 1}
	if k.latest != nil {
		if k.others == nil {
			k.others = map[string]*keyList{k.latest.key: k.latest}
		}
		k.others[key] = next
	}
	k.latest = next
	return next
}

// complete makes the list ready for objects.
func (k *keyList) complete() {
	if k.all != nil {
		return
	}
	k.all = make([]string, k.count)
	for at := k; at.before != nil; at = at.before {
		k.all[at.count-1] = at.key
	}
	if k.count > indexFrom {
		k.index = indexOf(k.all)
	}
}

// object returns an object of these keys.
func (k *keyList) object(values []Value) *Map {
	k.complete()
	return &Map{keys: k.all, values: values, index: k.index, shared: true}
}
