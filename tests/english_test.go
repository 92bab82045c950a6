package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// banned are phrases that have a plainer or more usual form, in what people and agents
// read: messages, help, comments and documentation.
var banned = []struct{ pattern, better string }{
	{`tells?|told|telling`, "say report, print, show, list or return"},
	{`nobody|somebody|whoever|anybody`, "name the component or the user"},
	{`we|us|our|ours|ourselves`, "name the component"},
	{`kept runs?|runs? (is|are|was|were) (not )?kept|keeps? runs|keeping runs`, "recorded run; record a run"},
	{`tak(e|es|en|ing) (a run|runs|it|them) on|taken on`, "resume"},
	{`left behind`, "interrupted"},
	{`doubtful|calls? in doubt`, "in-doubt call"},
	{`(must|may) (not|never) be made twice`, "not safe to repeat"},
	{`is nothing of|none of theirs|is none of`, "say what it is"},
	{`what (is|was) not known`, "name it: an unknown …"},
	{`as it stands?|stands? (in|at|there|twice|beside|under|below|before|behind|as)`, "is; name the place plainly"},
	{`writes? over|written over`, "overwrite"},
	{`part ways|runs? parts?|they part`, "diverge"},
	{`was cut while|is cut short`, "died during; is truncated"},
	{`comes to nothing|what comes of`, "result"},
}

// bannedNames are words that no name in the code has as a part.
var bannedNames = regexp.MustCompile(`^(told|tell|tells|film|plugs|talk|world|nobody|somebody|whoever|doubtful|whatever|kept)$`)

// elsewhere are files whose words are another's, or older: data, and the history of changes.
var elsewhere = regexp.MustCompile(`(^|/)testdata/|^CHANGELOG\.md$|^tests/english_test\.go$|/dist/|^docs/experiments/steps/(tasks\.md|servers\.mjs)$|^LICENSE|/node_modules/`)

func TestPlainEnglish(t *testing.T) {
	var patterns []*regexp.Regexp
	var all []string
	for _, b := range banned {
		patterns = append(patterns, regexp.MustCompile(`(?i)\b(`+b.pattern+`)\b`))
		all = append(all, b.pattern)
	}
	some := regexp.MustCompile(`(?i)\b(` + strings.Join(all, "|") + `)\b`)
	for _, file := range trackedFiles(t) {
		if elsewhere.MatchString(file) {
			continue
		}
		src, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range readable(t, file, src) {
			words := withoutUS.Replace(text.words)
			if !some.MatchString(words) {
				continue
			}
			for i, p := range patterns {
				if found := p.FindString(words); found != "" {
					t.Errorf("%s:%d: %q: %s", file, text.line, found, banned[i].better)
				}
			}
		}
	}
}

// withoutUS takes the country, which has the letters of the pronoun, out of a text.
var withoutUS = strings.NewReplacer("US ", "", "US-", "", "en_US", "", "µs", "")

type line struct {
	line  int
	words string
}

// readable are the texts of a file that people read: of Go the comments, the strings with
// a space in them, and names that have a banned word; of others every line.
func readable(t *testing.T, file string, src []byte) (texts []line) {
	switch path.Ext(file) {
	case ".md", ".yaml", ".yml", ".mjs", ".js", ".css", ".html":
		for i, words := range strings.Split(string(src), "\n") {
			texts = append(texts, line{i + 1, words})
		}
		return texts
	case ".go":
	default:
		return nil
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	at := func(n ast.Node) int { return fset.Position(n.Pos()).Line }
	for _, group := range parsed.Comments {
		texts = append(texts, line{at(group), strings.Join(strings.Fields(group.Text()), " ")})
	}
	isTest := strings.HasSuffix(file, "_test.go")
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if words, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && !isTest && strings.Contains(words, " ") {
				texts = append(texts, line{at(n), words})
			}
		case *ast.Ident:
			for _, word := range camelWords(n.Name) {
				if !isTest && bannedNames.MatchString(word) {
					t.Errorf("%s:%d: the name %s has the word %q; see the glossary of names", file, at(n), n.Name, word)
				}
			}
		}
		return true
	})
	return texts
}

var camelWord = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+`)

// camelWords are the words of a name, in lower case, without OpenWorld, which is MCP's.
func camelWords(name string) []string {
	words := camelWord.FindAllString(strings.ReplaceAll(name, "OpenWorld", ""), -1)
	for i := range words {
		words[i] = strings.ToLower(words[i])
	}
	return words
}

// trackedFiles are the files that git tracks. The test is skipped outside a git checkout.
func trackedFiles(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("not a git checkout: %v", err)
	}
	return strings.Fields(string(out))
}
