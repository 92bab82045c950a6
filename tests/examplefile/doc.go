// Package examplefile reads the expectation files of the example graphs: a directory
// goes in, the cases of its files NAME.test.yaml come out, each of which can check a
// result. It belongs to tests alone and knows neither the program nor a client.
//
//	tests:
//	  - name: what the case shows
//	    tool: TOOL
//	    args: {…}
//	    env: {NAME: value}     # of the program's process
//	    needs: [npx]           # programs without which the case is skipped
//	    expect:                # every line holds; without isError: true no error may come
//	      value: …             # equal to this
//	      partial: …           # equal to this, objects may have further keys
//	      contains: text       # the result's text has this in it
//	      isError: true
//	      path: [entry, exit]  # the nodes walked, for those who can see them
//
// In the strings of args and env, {temp} and {repository} stand for places that the
// test has made.
package examplefile
