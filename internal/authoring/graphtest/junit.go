package graphtest

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The format of JUnit reports, as build servers read it.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"` // seconds
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr"`
		Line    int           `xml:"line,attr,omitempty"`
		Time    string        `xml:"time,attr"`
		Failure *junitMessage `xml:"failure,omitempty"`
		Error   *junitMessage `xml:"error,omitempty"`
		Skipped *junitMessage `xml:"skipped,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes reports as JUnit's XML. A test file that could not be run is a
// case with an error.
func WriteJUnit(w io.Writer, reports []*Report) error {
	out := junitSuites{}
	for _, r := range reports {
		out.Suites = append(out.Suites, r.junit())
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *Report) junit() junitSuite {
	suite := junitSuite{Name: r.Suite.Path}
	total := 0.0
	for _, result := range r.Results {
		seconds := result.Duration.Seconds()
		total += seconds
		c := junitCase{
			Name: result.Case.Name, Class: r.Suite.Path + "." + result.Case.Tool.Value,
			File: r.Suite.Path, Line: result.Case.Pos.Line, Time: fmt.Sprintf("%.3f", seconds),
		}
		switch result.Status {
		case Passed:
		case Failed:
			suite.Failures++
			text := result.Text()
			first, _, _ := strings.Cut(text, "\n")
			c.Failure = &junitMessage{Message: first, Text: text}
		case Skipped:
			suite.Skipped++
			c.Skipped = &junitMessage{Message: result.Why}
		}
		suite.Cases = append(suite.Cases, c)
	}
	if r.Err != nil {
		suite.Errors++
		first, _, _ := strings.Cut(r.Err.Error(), "\n")
		suite.Cases = append(suite.Cases, junitCase{
			Name: r.Suite.Path, Class: r.Suite.Path, File: r.Suite.Path, Time: "0.000",
			Error: &junitMessage{Message: first, Text: r.Err.Error()},
		})
	}
	suite.Tests, suite.Time = len(suite.Cases), fmt.Sprintf("%.3f", total)
	return suite
}
