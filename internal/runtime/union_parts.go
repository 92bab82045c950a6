package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"toolgraph/execution/journal"
	"toolgraph/internal/serving/server"
)

// unionResources are the resources of all files of a union.
type unionResources struct{ of *union }

// all returns those of each file, in order.
func (r unionResources) all() (all []server.Resources) {
	for _, m := range r.of.mounts() {
		if m.resources != nil {
			all = append(all, m.resources)
		}
	}
	return all
}

// List returns those of all files on one page.
func (r unionResources) List(ctx context.Context, cursor string) (page []server.Resource, next string, err error) {
	for _, of := range r.all() {
		some, _, err := of.List(ctx, cursor) // which has one page
		if err != nil {
			return nil, "", err
		}
		page = append(page, some...)
	}
	return page, "", nil
}

// Templates returns those of all files, each once.
func (r unionResources) Templates() (all []server.Resource) {
	for _, of := range r.all() {
		for _, t := range of.Templates() {
			if !slices.ContainsFunc(all, func(known server.Resource) bool { return known.URI == t.URI }) {
				all = append(all, t)
			}
		}
	}
	return all
}

// Read reads a resource of the first file that knows it.
func (r unionResources) Read(ctx context.Context, uri string) (contents []server.Content, err error) {
	err = server.ErrNoResource
	for _, of := range r.all() {
		if contents, err = of.Read(ctx, uri); !errors.Is(err, server.ErrNoResource) {
			return contents, err
		}
	}
	return nil, err
}

// Given notes a link in a result.
func (r unionResources) Given(subject, uri string) {
	for _, of := range r.all() {
		of.Given(subject, uri)
	}
}

// unionPrompts are the prompts that the files of a union pass on.
type unionPrompts struct{ of *union }

func (p unionPrompts) List() (entries [][]byte) {
	for _, m := range p.of.mounts() {
		entries = append(entries, m.prompts.List()...)
	}
	return entries
}

func (p unionPrompts) Get(ctx context.Context, name string, arguments []byte) (result []byte, err error) {
	err = server.ErrNoPrompt
	for _, m := range p.of.mounts() {
		if result, err = m.prompts.Get(ctx, name, arguments); !errors.Is(err, server.ErrNoPrompt) {
			return result, err
		}
	}
	return nil, err
}

// complete asks each file, until one has an answer.
func (u *union) complete(ctx context.Context, ref, argument, within []byte) (result []byte, err error) {
	for _, m := range u.mounts() {
		if result, err = m.prompts.complete(ctx, ref, argument, within); !errors.Is(err, errNoReference) {
			return result, err
		}
	}
	return result, err
}

// unionTasks are the tasks of a union: each belongs to the file of its run.
type unionTasks struct{ of *union }

// Begin makes the run of a call a task.
func (t unionTasks) Begin(ctx context.Context, tool, run string) (server.Task, error) {
	for _, m := range t.of.mounts() {
		if m.current.Load().offering.has(tool) {
			return tasks{m.current.Load}.Begin(ctx, tool, run)
		}
	}
	return server.Task{}, server.ErrNoTask
}

// Look returns a task.
func (t unionTasks) Look(ctx context.Context, id, state string) (server.Task, error) {
	of, err := t.find(ctx, id)
	if err != nil {
		return server.Task{}, err
	}
	return of.Look(ctx, id, state)
}

// Change answers or cancels a task.
func (t unionTasks) Change(ctx context.Context, id string, answers map[string]json.RawMessage) (*server.Continued, error) {
	of, err := t.find(ctx, id)
	if err != nil {
		return nil, err
	}
	return of.Change(ctx, id, answers)
}

// find returns the tasks of the file whose run a task is.
func (t unionTasks) find(ctx context.Context, id string) (of tasks, err error) {
	name, _, _ := strings.Cut(id, "-")
	run, err := t.of.set.session.History.Exact(ctx, name)
	switch {
	case errors.Is(err, journal.ErrNotFound):
		return of, server.ErrNoTask
	case err != nil:
		return of, t.of.mounts()[0].current.Load().unavailable(err)
	}
	for _, m := range t.of.mounts() { // the same file, or one of the same server on another machine
		about := About(m.current.Load().Project)
		if run.File == about.File || run.Server == about.Server {
			if of = (tasks{m.current.Load}); run.File == about.File {
				return of, nil
			}
		}
	}
	if of.current == nil {
		return of, server.ErrNoTask
	}
	return of, nil
}
