// Reference solutions. call(tool, args) -> Promise of the result; ask(message, schema) -> answer.

async function cursorPages(call, tool, args, list, next) {
  const out = [];
  let cursor;
  do {
    const r = await call(tool, cursor ? { ...args, cursor } : args);
    out.push(...r[list]);
    cursor = r[next];
  } while (cursor);
  return out;
}
async function numberPages(call, tool, args, list, pages) {
  const out = [];
  for (let page = 1, n = 1; page <= n; page++) {
    const r = await call(tool, { ...args, page });
    out.push(...r[list]);
    n = r[pages];
  }
  return out;
}
async function allRows(call, table) {
  const out = [];
  for (;;) {
    const r = await call("db.query", { table, limit: 5, offset: out.length });
    out.push(...r.rows);
    if (out.length >= r.total) return out;
  }
}
const by = (...keys) => (a, b) => {
  for (const k of keys) {
    const x = k(a), y = k(b);
    if (x < y) return -1;
    if (x > y) return 1;
  }
  return 0;
};
const base = (p) => p.slice(p.lastIndexOf("/") + 1);
const allCustomers = (call) => numberPages(call, "orders.customers", {}, "customers", "pages");

const solutions = {
  async 1(call, args) {
    const out = [];
    for (const e of await call("files.list", { dir: args.dir })) {
      if (e.kind !== "file") continue;
      const lines = (await call("files.read", { path: e.path })).split("\n").slice(0, -1);
      out.push({ path: e.path, lines: lines.length, marked: lines.filter((l) => l.includes(args.marker)).length });
    }
    return out;
  },
  async 2(call, args) {
    const counts = {};
    for (const c of await cursorPages(call, "git.log", { branch: args.branch }, "commits", "nextCursor")) counts[c.author] = (counts[c.author] ?? 0) + 1;
    const out = [];
    for (const [author, commits] of Object.entries(counts)) out.push({ author, name: (await call("users.get", { id: author })).name, commits });
    return out.sort(by((x) => -x.commits, (x) => x.author));
  },
  async 3(call, args) {
    const out = {};
    for (const i of await numberPages(call, "issues.list", { state: args.state }, "items", "totalPages"))
      for (const l of i.labels?.length ? i.labels : [args.none]) out[l] = (out[l] ?? 0) + 1;
    return out;
  },
  async 4(call, args) {
    const { jobId } = await call("jobs.start", { kind: "report", input: { month: args.month } });
    for (let polls = 1; polls <= args.maxPolls; polls++) {
      const { state } = await call("jobs.status", { jobId });
      if (state === "failed") break;
      if (state === "done") {
        const text = await call("jobs.result", { jobId });
        const { bytes } = await call("files.write", { path: args.path, text });
        return { jobId, polls, bytes };
      }
    }
    throw new Error("report not ready");
  },
  async 5(call, args) {
    const names = new Map((await allRows(call, "departments")).map((d) => [d.id, d.name]));
    const rows = await allRows(call, "employees");
    const text = ["id,name,department", ...rows.map((e) => `${e.id},${e.name},${names.get(e.dept_id) ?? ""}`)].map((l) => l + "\n").join("");
    await call("files.write", { path: args.path, text });
    return { rows: rows.length, withoutDepartment: rows.filter((e) => !names.has(e.dept_id)).map((e) => e.id) };
  },
  async 6(call, args) {
    const out = [];
    for (const city of args.cities) {
      let celsius = null, source = "none";
      try {
        celsius = (await call("weather.current", { city })).tempC;
        source = "weather";
      } catch {}
      if (celsius === null) {
        try {
          celsius = (await call("meteo.now", { place: city })).celsius;
          source = "meteo";
        } catch {
          source = "none";
        }
      }
      out.push({ city, celsius, source });
    }
    return out;
  },
  async 7(call, args) {
    const sums = {};
    for (const r of await allRows(call, args.source)) {
      const s = (sums[r.region ?? "Unassigned"] ??= { total: 0, missing: 0 });
      if (r.amount == null) s.missing++;
      else s.total += r.amount;
    }
    const out = [];
    for (const region of Object.keys(sums).sort()) {
      const row = { region, ...sums[region] };
      out.push({ ...row, id: (await call("db.insert", { table: args.target, row })).id });
    }
    return out;
  },
  async 8(call, args) {
    const { id, title } = await call("issues.get", { id: args.issueId });
    const name = `hotfix/${id}`;
    await call("git.create_branch", { name, from: args.base });
    const { sha } = await call("git.commit_file", { branch: name, path: args.path, content: title + "\n", message: `Hotfix for #${id}: ${title}` });
    const { number } = await call("git.open_pull_request", { title, head: name, base: args.base });
    await call("issues.comment", { id, text: `Hotfix in pull request #${number} (commit ${sha})` });
    return { pullRequest: number, sha };
  },
  async 9(call, args) {
    let cursor;
    do {
      const r = await call("git.log", cursor ? { branch: args.branch, cursor } : { branch: args.branch });
      for (const { sha } of r.commits) {
        const c = await call("git.show", { sha });
        if (c.files.includes(args.path)) return { sha, author: c.author, date: c.date };
      }
      cursor = r.nextCursor;
    } while (cursor);
    return null;
  },
  async 10(call, args) {
    const out = {};
    for (const c of await allCustomers(call))
      for (const o of await call("orders.list_orders", { customerId: c.id })) {
        if (o.status === args.exclude) continue;
        for (const l of await call("orders.order_items", { orderId: o.id })) {
          const s = (out[l.sku] ??= { sku: l.sku, units: 0, cents: 0 });
          s.units += l.quantity;
          s.cents += l.quantity * l.unitCents - (l.discountCents ?? 0);
        }
      }
    return Object.values(out).sort(by((x) => x.sku));
  },
  async 11(call, args) {
    const done = [];
    for (const l of await call("orders.order_items", { orderId: args.orderId })) {
      try {
        done.push((await call("orders.reserve_stock", { sku: l.sku, quantity: l.quantity })).reservationId);
      } catch {
        const released = done.reverse();
        for (const reservationId of released) await call("orders.release_stock", { reservationId });
        return { reserved: false, failedSku: l.sku, released };
      }
    }
    return { reserved: true, reservations: done };
  },
  async 12(call, args) {
    const settings = new Map();
    for (const l of (await call("files.read", { path: args.path })).split("\n")) {
      if (l === "" || l.startsWith("#")) continue;
      const at = l.indexOf("=");
      settings.set(l.slice(0, at), l.slice(at + 1));
    }
    const missing = args.required.filter((k) => !settings.get(k));
    if (missing.length) throw new Error("missing settings: " + missing.join(", "));
    await call("files.write", { path: args.marker, text: "ok\n" });
    return settings.size;
  },
  async 13(call, args) {
    const [first] = await call("users.group_members", { group: args.group });
    const { name } = await call("users.get", { id: first });
    const assigned = [], skipped = [];
    for (const id of args.ids) {
      const i = await call("issues.get", { id });
      if (i.state === "open" && i.assignee === null) {
        await call("issues.assign", { id, userId: first });
        await call("issues.comment", { id, text: `Assigned to ${name}` });
        assigned.push(id);
      } else skipped.push(id);
    }
    return { assigned, skipped };
  },
  async 14(call, args) {
    const [days, issues, mail, jobs, members] = await Promise.all([
      call("weather.forecast", { city: args.city, days: args.days }),
      call("issues.list", { state: "open" }),
      call("mail.unread_count", { folder: args.folder }),
      call("jobs.list", {}),
      call("users.group_members", { group: args.group }),
    ]);
    return {
      maxC: Math.max(...days.map((d) => d.maxC)),
      rainyDays: days.filter((d) => d.rainMm !== null && d.rainMm > 0).length,
      openIssues: issues.total,
      unread: mail.unread,
      runningJobs: jobs.filter((j) => j.state === "running").length,
      onCall: (await call("users.get", { id: members[0] })).name,
    };
  },
  async 15(call, args) {
    const errors = {}, orders = [];
    for (const e of await call("files.list", { dir: args.dir })) {
      if (!e.path.endsWith(".log")) continue;
      for (const l of (await call("files.read", { path: e.path })).split("\n")) {
        const w = l.split(" ");
        if (w[1] !== "ERROR") continue;
        const c = w[2]?.startsWith("[") && w[2].endsWith("]") ? w[2].slice(1, -1) : "none";
        errors[c] = (errors[c] ?? 0) + 1;
        for (const x of w) if (/^O\d+$/.test(x) && !orders.includes(x)) orders.push(x);
      }
    }
    return { errors, orders };
  },
  async 16(call, args) {
    const all = await cursorPages(call, "users.list", {}, "users", "nextCursor");
    const names = new Map(all.map((u) => [u.id, u.name]));
    return all
      .filter((u) => u.active !== false)
      .map((u) => ({ name: u.name, email: u.email ?? args.missing, phone: u.phone ?? args.missing, manager: names.get(u.managerId) ?? null }))
      .sort(by((x) => x.name));
  },
  async 17(call, args, ask) {
    const names = (await call("git.branches", {}))
      .filter((b) => b.merged === true && b.protected !== true && !args.keep.includes(b.name))
      .map((b) => b.name)
      .sort();
    if (!names.length) return { deleted: [] };
    const yes = await ask(`Delete ${names.length} merged branches?`, { type: "boolean" });
    if (!yes) return { deleted: [] };
    for (const name of names) await call("git.delete_branch", { name });
    return { deleted: names };
  },
  async 18(call, args) {
    const answered = [], manual = [];
    for (const m of await cursorPages(call, "mail.list", { folder: args.folder }, "messages", "next")) {
      if (m.read) continue;
      const number = /O\d+/.exec((await call("mail.get", { id: m.id })).body ?? "")?.[0];
      let order = null;
      if (number) {
        try {
          order = await call("orders.get_order", { orderId: number });
        } catch {}
      }
      if (!order) {
        manual.push(m.id);
        continue;
      }
      await call("mail.send", { to: m.from, subject: `Re: ${m.subject}`, body: `Order ${number} is ${order.status}.` });
      await call("mail.mark_read", { id: m.id });
      answered.push(m.id);
    }
    return { answered, manual };
  },
  async 19(call, args) {
    const groups = {};
    for (const i of await numberPages(call, "issues.list", { state: "open" }, "items", "totalPages"))
      if (i.labels?.includes(args.label) && i.assignee) (groups[i.assignee] ??= []).push(i);
    const mailed = [], unreachable = [];
    for (const id of Object.keys(groups).sort()) {
      const u = await call("users.get", { id });
      if (u.active === false || !u.email) {
        unreachable.push(id);
        continue;
      }
      const list = groups[id].sort(by((i) => i.id));
      await call("mail.send", { to: u.email, subject: `Open ${args.label} issues: ${list.length}`, body: list.map((i) => `#${i.id} ${i.title}`).join("\n") });
      mailed.push(id);
    }
    return { mailed, unreachable };
  },
  async 20(call, args) {
    for (const place of args.places) {
      const source = `${place}/${args.service}.env`;
      let text;
      try {
        text = await call("files.read", { path: source });
      } catch {
        continue;
      }
      await call("files.write", { path: args.target, text });
      return { source, settings: text.split("\n").filter((l) => l.includes("=") && !l.startsWith("#")).length };
    }
    throw new Error(`no settings for ${args.service}`);
  },
  async 21(call, args) {
    const jobs = [];
    for (const e of await call("files.list", { dir: args.dir }))
      if (e.path.endsWith(".png")) jobs.push({ path: e.path, ...(await call("jobs.start", { kind: "thumbnail", input: { path: e.path } })) });
    const done = [], failed = [];
    for (const { path, jobId } of jobs) {
      let s = {};
      for (let n = 0; n < args.maxPolls && s.state !== "done" && s.state !== "failed"; n++) s = await call("jobs.status", { jobId });
      if (s.state === "done") {
        const r = await call("jobs.result", { jobId });
        done.push({ path, width: r.width, height: r.height });
      } else failed.push({ path, error: s.state === "failed" ? s.error : "timeout" });
    }
    return { done, failed };
  },
  async 22(call, args) {
    for (let page = 1, pages = 1; page <= pages; page++) {
      const r = await call("orders.customers", { page });
      pages = r.pages;
      for (const c of r.customers)
        for (const i of await call("orders.list_invoices", { customerId: c.id }))
          if (i.paidOn === null && i.due < args.today) return { customerId: c.id, name: c.name, invoiceId: i.id, amountCents: i.amountCents };
    }
    return null;
  },
  async 23(call, args) {
    const out = [];
    for (const orderId of args.orderIds) {
      const o = await call("orders.get_order", { orderId });
      const { invoiceId } = await call("orders.create_invoice", { orderId, amountCents: o.totalCents });
      let chargeId;
      try {
        ({ chargeId } = await call("orders.charge_card", { customerId: o.customerId, amountCents: o.totalCents }));
      } catch (e) {
        await call("orders.void_invoice", { invoiceId });
        throw new Error(`charging ${orderId} failed: ${e.message}`);
      }
      out.push({ orderId, invoiceId, chargeId });
    }
    return out;
  },
  async 24(call, args) {
    const out = [];
    for (const term of args.terms) {
      let r = null;
      for (let n = 0; n < 2 && !r; n++) {
        try {
          r = await call("kb.search", { q: term });
        } catch {}
      }
      let best = null;
      for (const h of r?.hits ?? []) if (!best || h.score > best.score) best = h;
      if (best) {
        const p = await call("kb.page", { url: best.url });
        best = { title: p.title, updated: p.updated ?? null };
      }
      out.push({ term, total: r ? r.total : null, best });
    }
    return out;
  },
  async 25(call, args) {
    const have = new Set((await call("files.list", { dir: args.target })).map((e) => e.path));
    const moved = {}, created = [], skipped = [];
    for (const e of await call("files.list", { dir: args.dir })) {
      const m = /_(\d{4})-\d\d-\d\d\.[^.]*$/.exec(base(e.path));
      if (!m) {
        skipped.push(e.path);
        continue;
      }
      const folder = `${args.target}/${m[1]}`;
      if (!have.has(folder)) {
        await call("files.make_dir", { path: folder });
        have.add(folder);
        created.push(folder);
      }
      await call("files.move", { from: e.path, to: `${folder}/${base(e.path)}` });
      moved[m[1]] = (moved[m[1]] ?? 0) + 1;
    }
    return { moved, created, skipped };
  },
  async 26(call, args) {
    const out = [];
    for (const email of args.emails) {
      let p = await call("users.find_by_email", { email });
      const chain = p ? [] : null;
      while (p?.managerId) {
        p = await call("users.get", { id: p.managerId });
        chain.push(p.name);
      }
      out.push({ email, chain });
    }
    return out;
  },
  async 27(call, args) {
    const rows = new Map((await allRows(call, args.table)).map((r) => [r.sku, r]));
    const out = { updated: [], inserted: [], unchanged: [], invalid: [] };
    for (const line of (await call("files.read", { path: args.path })).split("\n").slice(1)) {
      if (line === "") continue;
      const [sku, price, name] = line.split(",");
      const row = rows.get(sku);
      if (price === "") out.invalid.push(sku);
      else if (!row) out.inserted.push({ sku, id: (await call("db.insert", { table: args.table, row: { sku, price_cents: Number(price), name } })).id });
      else if (row.price_cents !== Number(price)) {
        await call("db.update", { table: args.table, id: row.id, set: { price_cents: Number(price) } });
        out.updated.push(sku);
      } else out.unchanged.push(sku);
    }
    return out;
  },
  async 28(call, args) {
    const sums = [];
    for (const c of await allCustomers(call)) {
      let totalCents = 0;
      for (const o of await call("orders.list_orders", { customerId: c.id })) if (o.status !== "cancelled" && o.date >= args.from) totalCents += o.totalCents;
      sums.push({ customerId: c.id, name: c.name, totalCents });
    }
    const top = sums.sort(by((x) => -x.totalCents, (x) => x.name)).slice(0, args.top);
    await call("mail.send", { to: args.to, subject: `Top ${args.top} customers`, body: top.map((x, i) => `${i + 1}. ${x.name}: ${x.totalCents}`).join("\n") });
    return top;
  },
  async 29(call, args) {
    const last = (await call("git.tags", {})).find((t) => t.name === args.previous).sha;
    const features = [], fixes = [];
    let newest, cursor, found = false;
    do {
      const r = await call("git.log", cursor ? { branch: args.branch, cursor } : { branch: args.branch });
      newest ??= r.commits[0].sha;
      for (const c of r.commits) {
        if ((found = c.sha === last)) break;
        if (c.message.startsWith("feat: ")) features.push(c.message.slice(6));
        if (c.message.startsWith("fix: ")) fixes.push(c.message.slice(5));
      }
      cursor = r.nextCursor;
    } while (!found && cursor);
    const lines = [`# ${args.next}`, "## Features", ...features.map((f) => `- ${f}`), "## Fixes", ...fixes.map((f) => `- ${f}`)];
    await call("files.write", { path: `${args.dir}/${args.next}.md`, text: lines.map((l) => l + "\n").join("") });
    const { sha } = await call("git.tag", { name: args.next, sha: newest });
    await call("mail.send", { to: args.to, subject: `${args.next} released`, body: `${features.length} features, ${fixes.length} fixes` });
    return { features: features.length, fixes: fixes.length, sha };
  },
  async 30(call, args) {
    const members = await call("users.group_members", { group: args.group });
    const out = { created: [], added: [], alreadyMember: [], skipped: [] };
    for (const { name, email } of args.people) {
      if (!email) {
        out.skipped.push(name);
        continue;
      }
      let id = (await call("users.find_by_email", { email }))?.id;
      const fresh = !id;
      if (fresh) {
        ({ id } = await call("users.create", { name, email }));
        out.created.push(id);
      }
      if (members.includes(id)) out.alreadyMember.push(id);
      else {
        await call("users.add_to_group", { group: args.group, userId: id });
        members.push(id);
        out.added.push(id);
      }
      if (fresh) await call("mail.send", { to: email, subject: "Welcome", body: `Welcome, ${name}! Your id is ${id}.` });
    }
    return out;
  },
};

export async function solve(id, call, args, ask) {
  return solutions[id](call, args, ask);
}
