package temporal

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/proto"

	"toolgraph/execution/journal"
)

// history returns all that the server has of the workflow of a run, as bytes.
func (p *place) history(t *testing.T, run string) (all []byte) {
	t.Helper()
	events := p.client.GetWorkflowHistory(t.Context(), run, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		src, err := proto.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, src...)
	}
	d, err := p.client.WorkflowService().DescribeWorkflowExecution(t.Context(), describeRequest(run))
	if err != nil {
		t.Fatal(err)
	}
	src, err := proto.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return append(all, src...)
}

// With keys the server sees neither arguments nor texts of failures, questions and answers. A new key
// is put below the old one first, then above it; a worker without the key of a run reports that, and
// the run waits for another one.
func TestEncryption(t *testing.T) {
	t.Parallel()
	const secret = "kirschbaum-4711"
	p := newPlace(t)
	file := write(t, t.TempDir(), "graph.yaml", greeting)
	older, newer := line("2026-01", 1), line("2026-02", 2)
	keys := func(text string) []string {
		return []string{"--encryption-keys", write(t, t.TempDir(), "keys", text)}
	}
	create := func(tool string, more ...string) string {
		id, made := p.newSchedule(t, append([]string{tool, "name=" + secret, "-g", file, "--cron", "0 0 29 2 *"}, more...)...)
		if !strings.Contains(string(made.Args), secret) {
			t.Errorf("the arguments are not shown: %+v", made)
		}
		return id
	}
	first := p.worker(t, file, keys(older)...)
	plain, greets, fails := create("greet"), create("greet", keys(older)...), create("fail", keys(older)...)
	if run := p.trigger(t, plain); !bytes.Contains(p.history(t, run.ID), []byte(secret)) {
		t.Error("without keys the history has no arguments, so that this test shows nothing")
	}
	done, failed := p.trigger(t, greets, keys(older)...), p.trigger(t, fails, keys(older)...)
	if done.Status != journal.Finished || failed.Status != journal.Failed || !strings.Contains(failed.Failure.Message, secret) {
		t.Errorf("runs: %+v %+v", done, failed)
	}
	c := p.serve(t, file, keys(older)...)
	if got := c.wait(c.call("greet", `{"name":"`+secret+`"}`)); got.text() != `"Hello `+secret+`"` && got.text() != "Hello "+secret {
		t.Errorf("served: %s %s", got.Result, got.Error)
	}
	served := p.ended(t, func(r journal.Run) bool { return !strings.HasPrefix(r.ID, "test-") }, 1)[0]
	p.closed(t, served.ID)
	for _, run := range []journal.Run{done, failed, served} {
		if bytes.Contains(p.history(t, run.ID), []byte(secret)) {
			t.Errorf("the server has the arguments of run %s in plain text", run.ID)
		}
	}
	d, err := p.client.WorkflowService().DescribeSchedule(t.Context(), &workflowservice.DescribeScheduleRequest{Namespace: "default", ScheduleId: fails})
	if src, marshalled := proto.Marshal(d); err != nil || marshalled != nil || bytes.Contains(src, []byte(secret)) {
		t.Error("the server has the arguments of a schedule in plain text", err)
	}
	var shown scheduled
	p.schedule(t, &shown, "show", fails)
	if shown.Args != nil || !strings.Contains(shown.Hidden, `encrypted with key "2026-01", and this process has no keys`) {
		t.Errorf("without keys: %+v", shown)
	}

	first.kill()
	second := p.worker(t, file, keys(newer+older)...)
	if run := p.trigger(t, greets, keys(older+newer)...); run.Status != journal.Finished {
		t.Errorf("after the rotation: %+v", run)
	}
	second.kill()
	third := p.worker(t, file, keys(newer)...)
	var waits struct{ Run string }
	p.schedule(t, &waits, append([]string{"trigger", greets}, keys(newer)...)...)
	third.says(t, "is encrypted with key")
	third.kill()
	p.worker(t, file, keys(newer+older)...)
	if run := p.ended(t, func(r journal.Run) bool { return r.ID == waits.Run }, 1)[0]; run.Status != journal.Finished {
		t.Errorf("after a worker without the key: %+v", run)
	}
}

// closed waits until a workflow has ended: its last events come after the end of its run.
func (p *place) closed(t *testing.T, run string) {
	t.Helper()
	_ = p.client.GetWorkflow(t.Context(), run, "").Get(t.Context(), nil) // the error is that of the run
}

func describeRequest(run string) *workflowservice.DescribeWorkflowExecutionRequest {
	return &workflowservice.DescribeWorkflowExecutionRequest{Namespace: client.DefaultNamespace, Execution: &common.WorkflowExecution{WorkflowId: run}}
}

// Serve, worker and schedule reach a server behind mutual TLS.
func TestTLS(t *testing.T) {
	t.Parallel()
	p, ca := newPlace(t), newAuthority(t, "ca")
	cert, key := ca.certificate("client", time.Now().Add(time.Hour))
	secured := *p
	secured.address = terminator(t, ca.mutual("temporal.test"), p.address)
	flags := []string{"--tls-ca-path", ca.file, "--tls-server-name", "temporal.test", "--tls-cert-path", cert, "--tls-key-path", key}
	file := write(t, t.TempDir(), "graph.yaml", greeting)
	secured.worker(t, file, flags...)
	c := secured.serve(t, file, flags...)
	if got := c.wait(c.call("greet", `{"name":"Ada"}`)); !strings.Contains(got.text(), "Hello Ada") {
		t.Errorf("served: %s %s", got.Result, got.Error)
	}
	id, _ := secured.newSchedule(t, append([]string{"greet", "name=Bob", "-g", file, "--every", "24h"}, flags...)...)
	if run := secured.trigger(t, id, flags...); run.Status != journal.Finished {
		t.Errorf("scheduled: %+v", run)
	}
	_, errs, code := secured.scheduleCommand(t, "list", "--tls-ca-path", filepath.Join(ca.dir, "ca.crt"), "--tls-server-name", "temporal.test")
	if code != 1 || !strings.Contains(errs, "refuses the certificate of this client") {
		t.Error(code, errs)
	}
}

// terminator speaks TLS for a server that does not, and returns its address.
func terminator(t *testing.T, config *tls.Config, server string) string {
	t.Helper()
	config.NextProtos = []string{"h2"}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	t.Cleanup(func() {
		listener.Close()
		open.Wait()
	})
	open.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer from.Close()
				to, err := net.Dial("tcp", server)
				if err != nil {
					return
				}
				defer to.Close()
				stop := make(chan struct{}, 2)
				for _, pair := range [][2]net.Conn{{from, to}, {to, from}} {
					go func() {
						_, _ = io.Copy(pair[0], pair[1]) // ends with either connection
						stop <- struct{}{}
					}()
				}
				select {
				case <-stop:
				case <-t.Context().Done():
				}
			})
		}
	})
	return listener.Addr().String()
}
