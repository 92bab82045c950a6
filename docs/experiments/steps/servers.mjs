// Simulated tool servers. makeServers(taskId) gives a fresh, deterministic world.
// Every call (also a rejected or failing one) is appended to log as {tool, args}.
// A failing write therefore counts as a write call in expect.effects.

const clone = (v) => (v === undefined ? null : JSON.parse(JSON.stringify(v)));

function typeOf(v) {
  if (v === null) return "null";
  if (Array.isArray(v)) return "array";
  return typeof v;
}
function isType(v, t) {
  if (t === "integer") return typeof v === "number" && Number.isInteger(v);
  if (t === "number") return typeof v === "number" && Number.isFinite(v);
  return typeOf(v) === t;
}
/** Returns null when fine, else a text saying what is wrong. */
export function validate(schema, v, at = "args") {
  if (schema.type !== undefined) {
    const types = [].concat(schema.type);
    if (!types.some((t) => isType(v, t))) return `${at} must be ${types.join(" or ")}, got ${typeOf(v)}`;
  }
  if (schema.enum && !schema.enum.includes(v)) return `${at} must be one of ${schema.enum.join(", ")}`;
  if (typeof v === "number") {
    if (schema.minimum !== undefined && v < schema.minimum) return `${at} must be at least ${schema.minimum}`;
    if (schema.maximum !== undefined && v > schema.maximum) return `${at} must be at most ${schema.maximum}`;
  }
  if (typeOf(v) === "array" && schema.items) {
    for (let i = 0; i < v.length; i++) {
      const e = validate(schema.items, v[i], `${at}[${i}]`);
      if (e) return e;
    }
  }
  if (typeOf(v) === "object") {
    const props = schema.properties || {};
    for (const r of schema.required || []) if (!Object.hasOwn(v, r)) return `${at}.${r} is required`;
    for (const k of Object.keys(v)) {
      if (Object.hasOwn(props, k)) {
        const e = validate(props[k], v[k], `${at}.${k}`);
        if (e) return e;
      } else if (schema.additionalProperties === false) return `${at}.${k} is not allowed`;
    }
  }
  return null;
}

const S = { type: "string" };
const I = { type: "integer" };
const OBJ = { type: "object" };
/** All properties are required except those whose name ends in "?". */
function shape(props) {
  const properties = {};
  const required = [];
  for (const [k, s] of Object.entries(props)) {
    if (k.endsWith("?")) properties[k.slice(0, -1)] = s;
    else {
      properties[k] = s;
      required.push(k);
    }
  }
  return { type: "object", properties, required, additionalProperties: false };
}

function world() {
  return {
    seq: {},
    users: [
      { id: "u1", name: "Ada Berg", email: "ada@acme.test", phone: "+47 100", managerId: null, active: true },
      { id: "u2", name: "Bo Chen", email: "bo@acme.test", phone: "+47 200", managerId: "u1", active: true },
      { id: "u3", name: "Cem Demir", email: "cem@acme.test", managerId: "u2", active: true },
      { id: "u4", name: "Dina Eze", email: null, phone: "+47 400", managerId: "u2", active: true },
      { id: "u5", name: "Eli Fox", email: "eli@acme.test", phone: "+47 500", managerId: "u3", active: false },
      { id: "u6", name: "Fay Green", email: "fay@acme.test", phone: "+47 600", managerId: "u1", active: true },
      { id: "u7", name: "Gus Hall", email: "gus@acme.test", phone: null, managerId: "u6", active: true },
      { id: "u8", name: "Hana Ito", email: "hana@acme.test" },
    ],
    groups: { platform: ["u2", "u3", "u4", "u5"], sales: ["u6", "u7"], oncall: ["u3"], release: ["u3"], interns: [] },
    issues: [
      { id: 101, title: "Login page times out", state: "open", labels: ["bug", "auth"], assignee: "u3", updated: "2024-05-02" },
      { id: 102, title: "Typo in footer", state: "closed", labels: ["docs"], assignee: "u4", updated: "2024-03-10" },
      { id: 103, title: "Export to CSV", state: "open", labels: ["feature"], assignee: null, updated: "2024-01-15" },
      { id: 104, title: "Crash on empty cart", state: "open", labels: ["bug"], assignee: "u7", updated: "2024-04-20" },
      { id: 105, title: "Dark mode", state: "open", assignee: null, updated: "2023-11-30" },
      { id: 106, title: "Slow search", state: "closed", labels: ["bug", "perf"], assignee: null, updated: "2024-02-01" },
      { id: 107, title: "Slow dashboard", state: "open", labels: ["bug", "perf"], assignee: "u3", updated: "2024-05-05" },
      { id: 108, title: "Password reset mail missing", state: "open", labels: ["bug", "auth"], assignee: "u4", updated: "2024-05-01" },
      { id: 109, title: "Update license text", state: "open", labels: [], assignee: "u8", updated: "2023-12-12" },
      { id: 110, title: "Broken build", state: "closed", labels: ["bug"], assignee: "u2", updated: "2024-04-01" },
      { id: 111, title: "Wrong tax for NO", state: "open", labels: ["bug", "billing"], assignee: null, updated: "2024-05-06" },
      { id: 112, title: "Add SSO", state: "open", labels: ["feature", "auth"], assignee: "u2", updated: "2024-03-03" },
      { id: 113, title: "Old API docs", state: "open", labels: ["docs", "bug"], assignee: "u5", updated: "2024-01-02" },
    ],
    comments: [],
    commits: [
      // newest first, branch main
      { sha: "b11a9c0", author: "u2", date: "2024-05-06", message: "feat: sso config page (#112)", files: ["src/auth/sso.ts", "src/config.ts"] },
      { sha: "a10f3e2", author: "u3", date: "2024-05-05", message: "fix: login timeout (#101)", files: ["src/auth/login.ts"] },
      { sha: "909bd11", author: "u4", date: "2024-05-03", message: "docs: update readme", files: ["README.md"] },
      { sha: "808ce45", author: "u3", date: "2024-05-02", message: "fix: empty cart crash (#104)", files: ["src/cart/cart.ts", "test/cart.test.ts"] },
      { sha: "707aa08", author: "u2", date: "2024-04-30", message: "chore: bump deps", files: ["package.json"] },
      { sha: "606fb93", author: "u7", date: "2024-04-28", message: "feat: invoice export (#103)", files: ["src/billing/export.ts"] },
      { sha: "505d7e1", author: "u3", date: "2024-04-25", message: "fix: tax rounding (#111, #98)", files: ["src/billing/tax.ts"] },
      { sha: "404c0de", author: "u4", date: "2024-04-20", message: "release 1.3", files: ["CHANGELOG.md"] },
      { sha: "303ee10", author: "u2", date: "2024-04-18", message: "feat: dark mode", files: ["src/ui/theme.ts"] },
      { sha: "202b6f7", author: "u3", date: "2024-04-11", message: "refactor cart", files: ["src/cart/cart.ts", "src/billing/tax.ts"] },
      { sha: "101aaaa", author: "u2", date: "2024-04-01", message: "initial", files: ["README.md", "package.json"] },
    ],
    tags: [
      { name: "v1.2", sha: "202b6f7" },
      { name: "v1.3", sha: "404c0de" },
    ],
    branches: [
      { name: "main", merged: false, protected: true },
      { name: "release/1.3", merged: true, protected: true },
      { name: "old/spike", merged: true },
      { name: "fix/login", merged: true },
      { name: "feat/sso", merged: false },
      { name: "docs/typo", merged: null },
      { name: "old/demo", merged: true },
      { name: "fix/cart", merged: true, protected: false },
    ],
    pulls: [],
    mail: [
      { id: "i1", folder: "inbox", from: "ada@acme.test", subject: "Budget", body: "See attached." },
      { id: "i2", folder: "inbox", from: "bo@acme.test", subject: "Lunch", body: "At noon?", read: true },
      { id: "i3", folder: "inbox", from: "fay@acme.test", subject: "Leads", body: "Two new leads." },
      { id: "s1", folder: "support", from: "kim@nordic.test", subject: "Where is my order?", body: "Hi,\nwhere is O12? Thanks." },
      { id: "s2", folder: "support", from: "sales@offers.test", subject: "Great offer", body: "OK, so buy now!" },
      { id: "s3", folder: "support", from: "ann@blue.test", subject: "Order O21", body: "Is O21 on its way?", read: true },
      { id: "s4", folder: "support", from: "raul@casa.test", subject: "Delivery", body: "We ordered O77 last week." },
      { id: "s5", folder: "support", from: "uwe@delta.test", subject: "Two questions", body: "When will O43 arrive, and was O42 paid?" },
      { id: "s6", folder: "support", from: "eva@echo.test", subject: "Scan", body: null },
      { id: "s7", folder: "support", from: "eva@echo.test", subject: "Status", body: "Order no. O52! Please hurry." },
    ],
    sent: [],
    customers: [
      { id: "K1", name: "Nordic AS", country: "NO" },
      { id: "K2", name: "Blue Ltd", country: "GB" },
      { id: "K3", name: "Casa SL", country: "ES" },
      { id: "K4", name: "Delta GmbH", country: "DE" },
      { id: "K5", name: "Echo SARL", country: "FR" },
    ],
    orders: [
      { id: "O11", customerId: "K1", date: "2024-04-02", status: "shipped", totalCents: 2100 },
      { id: "O12", customerId: "K1", date: "2024-05-01", status: "open", totalCents: 2300 },
      { id: "O21", customerId: "K2", date: "2024-04-15", status: "shipped", totalCents: 2000 },
      { id: "O41", customerId: "K4", date: "2024-03-20", status: "cancelled", totalCents: 11000 },
      { id: "O42", customerId: "K4", date: "2024-04-22", status: "shipped", totalCents: 6800 },
      { id: "O43", customerId: "K4", date: "2024-05-03", status: "open", totalCents: 8900 },
      { id: "O51", customerId: "K5", date: "2024-05-04", status: "open", totalCents: 0 },
      { id: "O52", customerId: "K5", date: "2024-04-30", status: "shipped", totalCents: 2000 },
      { id: "O90", customerId: "K1", date: "2024-05-06", status: "draft", totalCents: 14310 },
    ],
    items: {
      O11: [{ sku: "PEN", quantity: 10, unitCents: 120 }, { sku: "PAD", quantity: 2, unitCents: 450 }],
      O12: [{ sku: "INK", quantity: 1, unitCents: 2300 }],
      O21: [{ sku: "PAD", quantity: 5, unitCents: 450, discountCents: 250 }],
      O41: [{ sku: "PEN", quantity: 100, unitCents: 110 }],
      O42: [{ sku: "INK", quantity: 2, unitCents: 2300 }, { sku: "PEN", quantity: 20, unitCents: 115, discountCents: 100 }],
      O43: [{ sku: "LAMP", quantity: 1, unitCents: 8900 }],
      O51: [],
      O52: [{ sku: "PAD", quantity: 4, unitCents: 500 }],
      O90: [
        { sku: "PEN", quantity: 3, unitCents: 120 },
        { sku: "INK", quantity: 2, unitCents: 2300 },
        { sku: "LAMP", quantity: 1, unitCents: 8900 },
        { sku: "PAD", quantity: 1, unitCents: 450 },
      ],
    },
    invoices: [
      { id: "I1", customerId: "K1", amountCents: 2100, due: "2024-05-02", paidOn: "2024-04-28" },
      { id: "I2", customerId: "K2", amountCents: 2000, due: "2024-04-30", paidOn: "2024-04-29" },
      { id: "I3", customerId: "K4", amountCents: 6800, due: "2024-05-10", paidOn: null },
      { id: "I4", customerId: "K4", amountCents: 11000, due: "2024-04-01", paidOn: null },
      { id: "I5", customerId: "K5", amountCents: 500, due: "2024-03-01", paidOn: null },
    ],
    declined: ["K4"],
    stock: { PEN: 500, PAD: 40, INK: 3, LAMP: 0 },
    reservations: {},
    jobs: [
      { jobId: "J90", kind: "backup", state: "running" },
      { jobId: "J91", kind: "report", state: "done" },
      { jobId: "J92", kind: "import", state: "running" },
      { jobId: "J93", kind: "backup", state: "queued" },
    ],
    weather: { Bergen: { tempC: 9, windMs: 6 }, Paris: { tempC: null }, Rome: { tempC: 21, windMs: 2 } },
    forecast: {
      Bergen: [
        { date: "2024-05-06", minC: 5, maxC: 12, rainMm: 3 },
        { date: "2024-05-07", minC: 6, maxC: 14, rainMm: null },
        { date: "2024-05-08", minC: 4, maxC: 11, rainMm: 0 },
        { date: "2024-05-09", minC: 3, maxC: 16, rainMm: 8 },
      ],
    },
    meteo: { Oslo: 7, Paris: 15, Bergen: 10 },
    kb: {
      invoice: [{ title: "Invoices FAQ", url: "kb/1", score: 60 }, { title: "Invoice API", url: "kb/2", score: 85 }],
      sso: [{ title: "SSO setup", url: "kb/3", score: 70 }],
      tax: [
        { title: "Tax basics", url: "kb/4", score: 50 },
        { title: "Tax in Norway", url: "kb/5", score: 90 },
        { title: "Tax in Spain", url: "kb/6", score: 90 },
      ],
    },
    kbPages: {
      "kb/1": { title: "Invoices FAQ", text: "Questions.", updated: "2023-10-10" },
      "kb/2": { title: "Invoice API", text: "Endpoints.", updated: "2024-02-01" },
      "kb/3": { title: "SSO setup", text: "Steps." },
      "kb/4": { title: "Tax basics", text: "Basics.", updated: "2022-01-01" },
      "kb/5": { title: "Tax in Norway", text: "Rates.", updated: null },
      "kb/6": { title: "Tax in Spain", text: "Rates.", updated: "2024-03-03" },
    },
    kbFailures: { sso: 1, cart: 99 }, // how many more searches for the term fail
    tables: {
      employees: [
        { id: 1, name: "Ines", dept_id: 10 },
        { id: 2, name: "Jon", dept_id: 20 },
        { id: 3, name: "Kay", dept_id: null },
        { id: 4, name: "Lou", dept_id: 10 },
        { id: 5, name: "Mia", dept_id: 99 },
        { id: 6, name: "Ned" },
        { id: 7, name: "Ola", dept_id: 20 },
      ],
      departments: [{ id: 10, name: "Research" }, { id: 20, name: "Sales" }, { id: 30, name: "Legal" }],
      sales: [
        { id: 1, region: "North", month: "2024-01", amount: 100 },
        { id: 2, region: "South", month: "2024-01", amount: 250 },
        { id: 3, region: "North", month: "2024-02", amount: null },
        { id: 4, region: "East", month: "2024-02", amount: 75 },
        { id: 5, region: "South", month: "2024-02", amount: 300 },
        { id: 6, region: null, month: "2024-02", amount: 40 },
        { id: 7, region: "North", month: "2024-03", amount: 120 },
        { id: 8, region: "East", month: "2024-03", amount: null },
        { id: 9, region: "South", month: "2024-03", amount: 50 },
        { id: 10, region: "North", month: "2024-03", amount: 80 },
        { id: 11, region: "West", month: "2024-03", amount: 10 },
        { id: 12, region: "South", month: "2024-04" },
      ],
      sales_summary: [],
      products: [
        { id: 1, sku: "PEN", price_cents: 120, name: "Pen" },
        { id: 2, sku: "PAD", price_cents: 450, name: "Pad" },
        { id: 3, sku: "INK", price_cents: 2300, name: "Ink" },
        { id: 4, sku: "LAMP", price_cents: 8900, name: "Lamp" },
        { id: 5, sku: "CLIP", price_cents: 30, name: "Clip" },
        { id: 6, sku: "TAPE", price_cents: 199, name: "Tape" },
        { id: 7, sku: "BOX", price_cents: 650, name: "Box" },
      ],
    },
    dirs: ["/deploy", "/reports", "/exports", "/releases", "/archive"],
    files: {
      "/src/app.ts": "import x\n// TODO: split\nrun()\n// TODO: log, TODO: metrics\nend()\n",
      "/src/empty.ts": "",
      "/src/util.ts": "a\nb\nc\n",
      "/src/lib/deep.ts": "// TODO: deep\n",
      "/config/deploy.env": "# deploy\nHOST=web1\nPORT=\nOWNER=u2\n#TOKEN=abc\n",
      "/config/staging/checkout.env": "# staging\nHOST=s1\nPORT=8080\n\nDEBUG=1\n",
      "/config/default/checkout.env": "HOST=localhost\n",
      "/images/a.png": "png-a",
      "/images/b.png": "png-b",
      "/images/c.jpg": "jpg-c",
      "/images/d.png": "png-d",
      "/import/prices.csv": "sku,price_cents,name\nPEN,125,Pen\nPAD,450,Pad\nTAPE,,Tape\nGLUE,310,Glue\nBOX,600,Box\n\nINK,2300,Ink\n",
      "/logs/api.log":
        "2024-05-06T10:00:01Z INFO [http] started\n" +
        "2024-05-06T10:00:05Z ERROR [billing] charge failed for order O43\n" +
        "2024-05-06T10:00:09Z WARN [billing] retry, ERROR budget low, order O11\n" +
        "2024-05-06T10:01:00Z ERROR [mail] smtp timeout\n" +
        "2024-05-06T10:02:00Z ERROR [billing] charge failed for order O51\n",
      "/logs/notes.txt": "2024-05-06T10:02:00Z ERROR [notes] not a log\n",
      "/logs/worker.log":
        "2024-05-06T11:00:00Z ERROR lost connection\n" +
        "2024-05-06T11:00:10Z ERROR [billing] orders O43 and O21 not synced\n" +
        "2024-05-06T11:00:20Z INFO [queue] idle\n",
      "/scans/invoice_2023-11-02.pdf": "1",
      "/scans/letter_2024-01-15.pdf": "2",
      "/scans/notes.txt": "3",
      "/scans/receipt_2023-12-24.pdf": "4",
      "/scans/scan_undated.pdf": "5",
      "/scans/tax_2022-04-30.pdf": "6",
      "/archive/2023/contract_2023-01-01.pdf": "7",
    },
  };
}

/** What a started job will report, one entry per status call; the last entry repeats. */
function jobPlan(kind, input) {
  if (kind === "report") {
    return {
      states: [{ state: "queued" }, { state: "running", progress: 30 }, { state: "running", progress: 80 }, { state: "done", progress: 100 }],
      result: `Report ${input.month}\nOrders: 4\nTotal: 12900\n`,
    };
  }
  if (kind === "thumbnail") {
    const p = input.path;
    if (p === "/images/b.png") {
      return { states: [{ state: "queued" }, { state: "running", progress: 50 }, { state: "failed", error: "corrupt image" }] };
    }
    if (p === "/images/d.png") return { states: [{ state: "done", progress: 100 }], result: { width: 64, height: 64 } };
    return { states: [{ state: "running", progress: 10 }, { state: "done", progress: 100 }], result: { width: 120, height: 80 } };
  }
  throw new Error(`unknown job kind: ${kind}`);
}

function definitions(w) {
  const next = (name, start = 1) => (w.seq[name] = (w.seq[name] ?? start - 1) + 1);
  const user = (id) => {
    const u = w.users.find((x) => x.id === id);
    if (!u) throw new Error(`user not found: ${id}`);
    return u;
  };
  const group = (g) => {
    if (!Object.hasOwn(w.groups, g)) throw new Error(`group not found: ${g}`);
    return w.groups[g];
  };
  const issue = (id) => {
    const x = w.issues.find((i) => i.id === id);
    if (!x) throw new Error(`issue not found: ${id}`);
    return x;
  };
  const customer = (id) => {
    const c = w.customers.find((x) => x.id === id);
    if (!c) throw new Error(`customer not found: ${id}`);
    return c;
  };
  const order = (id) => {
    const o = w.orders.find((x) => x.id === id);
    if (!o) throw new Error(`order not found: ${id}`);
    return o;
  };
  const branch = (name) => {
    const b = w.branches.find((x) => x.name === name);
    if (!b) throw new Error(`branch not found: ${name}`);
    return b;
  };
  const message = (id) => {
    const m = w.mail.find((x) => x.id === id);
    if (!m) throw new Error(`message not found: ${id}`);
    return m;
  };
  const job = (id) => {
    const j = w.jobs.find((x) => x.jobId === id);
    if (!j) throw new Error(`job not found: ${id}`);
    return j;
  };
  const table = (name) => {
    if (!Object.hasOwn(w.tables, name)) throw new Error(`table not found: ${name}`);
    return w.tables[name];
  };
  const parent = (p) => p.slice(0, p.lastIndexOf("/")) || "/";
  const dirExists = (d) =>
    d === "/" || w.dirs.includes(d) || [...Object.keys(w.files), ...w.dirs].some((p) => p.startsWith(d + "/"));
  const page = (all, size, cursor) => {
    let at = 0;
    if (cursor !== undefined && cursor !== null) {
      const m = /^c(\d+)$/.exec(cursor);
      if (!m || Number(m[1]) >= all.length) throw new Error(`bad cursor: ${cursor}`);
      at = Number(m[1]);
    }
    return { part: all.slice(at, at + size), next: at + size < all.length ? `c${at + size}` : null };
  };

  const read = (description, props, fn) => ({ description, inputSchema: shape(props), effect: "read", fn });
  const write = (description, props, fn) => ({ description, inputSchema: shape(props), effect: "write", fn });

  return {
    // ---------------------------------------------------------------- files
    "files.list": read(
      "List what is directly in a folder, sorted by path: [{path, kind: \"file\"|\"dir\", size}]. path is the full path. size (bytes) is absent for folders. An empty folder gives []. Fails when the folder does not exist.",
      { dir: S },
      ({ dir }) => {
        const d = dir.length > 1 && dir.endsWith("/") ? dir.slice(0, -1) : dir;
        if (!dirExists(d)) throw new Error(`folder not found: ${dir}`);
        const prefix = d === "/" ? "/" : d + "/";
        const out = new Map();
        for (const p of [...Object.keys(w.files), ...w.dirs]) {
          if (!p.startsWith(prefix)) continue;
          const rest = p.slice(prefix.length);
          const first = rest.split("/")[0];
          const full = prefix + first;
          if (Object.hasOwn(w.files, full)) out.set(full, { path: full, kind: "file", size: Buffer.byteLength(w.files[full]) });
          else out.set(full, { path: full, kind: "dir" });
        }
        return [...out.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
      },
    ),
    "files.read": read("Read a text file; the result is its text. Fails when there is no such file.", { path: S }, ({ path }) => {
      if (!Object.hasOwn(w.files, path)) throw new Error(`file not found: ${path}`);
      return w.files[path];
    }),
    "files.write": write(
      "Write a text file (replaces an existing one). The folder must exist. Result: {path, bytes}.",
      { path: S, text: S },
      ({ path, text }) => {
        if (!dirExists(parent(path))) throw new Error(`folder not found: ${parent(path)}`);
        w.files[path] = text;
        return { path, bytes: Buffer.byteLength(text) };
      },
    ),
    "files.move": write(
      "Move a file to a new full path. The target folder must exist. Result: {path} with the new path.",
      { from: S, to: S },
      ({ from, to }) => {
        if (!Object.hasOwn(w.files, from)) throw new Error(`file not found: ${from}`);
        if (!dirExists(parent(to))) throw new Error(`folder not found: ${parent(to)}`);
        if (Object.hasOwn(w.files, to)) throw new Error(`file exists: ${to}`);
        w.files[to] = w.files[from];
        delete w.files[from];
        return { path: to };
      },
    ),
    "files.make_dir": write("Create a folder. Fails when it exists already. Result: {path}.", { path: S }, ({ path }) => {
      if (dirExists(path)) throw new Error(`folder exists: ${path}`);
      w.dirs.push(path);
      return { path };
    }),

    // --------------------------------------------------------------- issues
    "issues.list": read(
      "List issues by page number (from 1; 4 a page), ascending by id: {items, page, totalPages, total}. An item is {id, title, state, labels, assignee, updated}; id is a number; labels is a list of texts and may be absent or empty; assignee is a user id or null. state defaults to \"open\", page to 1.",
      { "state?": { type: "string", enum: ["open", "closed", "all"] }, "page?": { type: "integer", minimum: 1 } },
      ({ state = "open", page: n = 1 }) => {
        const all = w.issues.filter((i) => state === "all" || i.state === state);
        return { items: all.slice((n - 1) * 4, n * 4), page: n, totalPages: Math.ceil(all.length / 4), total: all.length };
      },
    ),
    "issues.get": read(
      "Get one issue: {id, title, state: \"open\"|\"closed\", labels, assignee, updated}; labels may be absent; assignee is a user id or null. Fails when there is no such issue.",
      { id: I },
      ({ id }) => issue(id),
    ),
    "issues.assign": write("Assign an issue to a user. Result: {id, assignee}.", { id: I, userId: S }, ({ id, userId }) => {
      const x = issue(id);
      user(userId);
      x.assignee = userId;
      return { id, assignee: userId };
    }),
    "issues.comment": write("Add a comment to an issue. Result: {commentId}.", { id: I, text: S }, ({ id, text }) => {
      issue(id);
      w.comments.push({ id, text });
      return { commentId: next("comment", 900) };
    }),

    // ------------------------------------------------------------------ git
    "git.log": read(
      "Commits of a branch, newest first, 4 a page: {commits: [{sha, author, date, message}], nextCursor}. author is a user id. nextCursor is null on the last page; pass it as cursor to get the next page; leave cursor out for the first page.",
      { branch: S, "cursor?": S },
      ({ branch: b, cursor }) => {
        branch(b);
        const { part, next: n } = page(w.commits, 4, cursor);
        return { commits: part.map(({ files, ...c }) => c), nextCursor: n };
      },
    ),
    "git.show": read("One commit: {sha, author, date, message, files}; files is the list of paths it changed.", { sha: S }, ({ sha }) => {
      const c = w.commits.find((x) => x.sha === sha);
      if (!c) throw new Error(`commit not found: ${sha}`);
      return c;
    }),
    "git.branches": read(
      "All branches: [{name, merged, protected}]. merged is true, false, or null when unknown. protected is absent when nobody set it (then the branch is not protected).",
      {},
      () => w.branches,
    ),
    "git.tags": read("All tags: [{name, sha}].", {}, () => w.tags),
    "git.create_branch": write("Create a branch from another branch. Fails when it exists. Result: {name}.", { name: S, from: S }, ({ name, from }) => {
      branch(from);
      if (w.branches.some((b) => b.name === name)) throw new Error(`branch exists: ${name}`);
      w.branches.push({ name, merged: false });
      return { name };
    }),
    "git.commit_file": write(
      "Commit one file to a branch. Result: {sha}.",
      { branch: S, path: S, content: S, message: S },
      ({ branch: b }) => {
        branch(b);
        return { sha: "f00000" + next("sha") };
      },
    ),
    "git.open_pull_request": write(
      "Open a pull request from branch head into branch base. Result: {number}.",
      { title: S, head: S, base: S },
      ({ title, head, base }) => {
        branch(head);
        branch(base);
        const number = next("pull", 41);
        w.pulls.push({ number, title, head, base });
        return { number };
      },
    ),
    "git.delete_branch": write("Delete a branch. Fails when it is protected. Result: {name}.", { name: S }, ({ name }) => {
      if (branch(name).protected) throw new Error(`branch is protected: ${name}`);
      w.branches = w.branches.filter((b) => b.name !== name);
      return { name };
    }),
    "git.tag": write("Create a tag at a commit. Result: {name, sha}.", { name: S, sha: S }, ({ name, sha }) => {
      if (w.tags.some((t) => t.name === name)) throw new Error(`tag exists: ${name}`);
      if (!w.commits.some((c) => c.sha === sha)) throw new Error(`commit not found: ${sha}`);
      w.tags.push({ name, sha });
      return { name, sha };
    }),

    // ----------------------------------------------------------------- mail
    "mail.list": read(
      "Messages of a folder, 3 a page: {messages: [{id, from, subject, read}], next}. read is true for a message that was read and absent otherwise. next is null on the last page, else a cursor for the next page; cursor may be left out or null for the first page.",
      { folder: S, "cursor?": { type: ["string", "null"] } },
      ({ folder, cursor }) => {
        const { part, next: n } = page(w.mail.filter((m) => m.folder === folder), 3, cursor);
        return { messages: part.map(({ body, folder: f, ...m }) => m), next: n };
      },
    ),
    "mail.get": read("One message: {id, folder, from, subject, body, read}. body is null when the message has no text.", { id: S }, ({ id }) => message(id)),
    "mail.unread_count": read("How many messages of a folder are unread: {folder, unread}.", { folder: S }, ({ folder }) => ({
      folder,
      unread: w.mail.filter((m) => m.folder === folder && m.read !== true).length,
    })),
    "mail.send": write("Send a mail to one address. Result: {messageId}.", { to: S, subject: S, body: S }, (m) => {
      if (!m.to.includes("@")) throw new Error(`bad address: ${m.to}`);
      w.sent.push(m);
      return { messageId: "out" + next("out") };
    }),
    "mail.mark_read": write("Mark a message as read. Result: {id}.", { id: S }, ({ id }) => {
      message(id).read = true;
      return { id };
    }),

    // ---------------------------------------------------------------- users
    "users.get": read(
      "One person by id: {id, name, email, phone, managerId, active}. email may be null; phone and managerId may be null or absent; active is false for a disabled account and true or absent for a working one. Fails when there is no such person.",
      { id: S },
      ({ id }) => user(id),
    ),
    "users.list": read(
      "All people, 3 a page: {users: [...], nextCursor}; each as users.get gives it. nextCursor is absent on the last page; leave cursor out for the first page.",
      { "cursor?": S },
      ({ cursor }) => {
        const { part, next: n } = page(w.users, 3, cursor);
        return n === null ? { users: part } : { users: part, nextCursor: n };
      },
    ),
    "users.find_by_email": read("The person with this email address (as users.get gives it), or null when there is none.", { email: S }, ({ email }) =>
      w.users.find((u) => u.email === email) ?? null,
    ),
    "users.group_members": read("The user ids in a group, as a list (may be empty). Fails when there is no such group.", { group: S }, ({ group: g }) => group(g)),
    "users.create": write("Create a person. Fails when the email is taken. Result: {id}.", { name: S, email: S }, ({ name, email }) => {
      if (w.users.some((u) => u.email === email)) throw new Error(`email taken: ${email}`);
      const id = "u" + next("user", 9);
      w.users.push({ id, name, email, active: true });
      return { id };
    }),
    "users.add_to_group": write("Add a person to a group. Fails when already a member. Result: {group, size}.", { group: S, userId: S }, ({ group: g, userId }) => {
      user(userId);
      const m = group(g);
      if (m.includes(userId)) throw new Error(`already a member: ${userId}`);
      m.push(userId);
      return { group: g, size: m.length };
    }),

    // --------------------------------------------------------------- orders
    "orders.customers": read(
      "Customers by page number (from 1; 2 a page): {customers: [{id, name, country}], page, pages}. page defaults to 1.",
      { "page?": { type: "integer", minimum: 1 } },
      ({ page: n = 1 }) => ({ customers: w.customers.slice((n - 1) * 2, n * 2), page: n, pages: Math.ceil(w.customers.length / 2) }),
    ),
    "orders.list_orders": read(
      "The orders of a customer, without drafts: [{id, customerId, date, status, totalCents}] (may be empty). status is open, shipped or cancelled; date is YYYY-MM-DD.",
      { customerId: S },
      ({ customerId }) => {
        customer(customerId);
        return w.orders.filter((o) => o.customerId === customerId && o.status !== "draft");
      },
    ),
    "orders.get_order": read(
      "One order: {id, customerId, date, status, totalCents}. Fails when there is no such order.",
      { orderId: S },
      ({ orderId }) => order(orderId),
    ),
    "orders.order_items": read(
      "The lines of an order: [{sku, quantity, unitCents, discountCents}] (may be empty). discountCents is taken off the whole line and absent when there is no discount.",
      { orderId: S },
      ({ orderId }) => w.items[order(orderId).id],
    ),
    "orders.list_invoices": read(
      "The invoices of a customer: [{id, customerId, amountCents, due, paidOn}] (may be empty). due is YYYY-MM-DD; paidOn is a date or null while unpaid.",
      { customerId: S },
      ({ customerId }) => {
        customer(customerId);
        return w.invoices.filter((i) => i.customerId === customerId);
      },
    ),
    "orders.reserve_stock": write(
      "Reserve a quantity of a product. Fails when there is not enough in stock. Result: {reservationId}.",
      { sku: S, quantity: { type: "integer", minimum: 1 } },
      ({ sku, quantity }) => {
        if ((w.stock[sku] ?? 0) < quantity) throw new Error(`out of stock: ${sku}`);
        w.stock[sku] -= quantity;
        const id = "R" + next("reservation");
        w.reservations[id] = { sku, quantity };
        return { reservationId: id };
      },
    ),
    "orders.release_stock": write("Give a reservation back. Result: {reservationId}.", { reservationId: S }, ({ reservationId }) => {
      const r = w.reservations[reservationId];
      if (!r) throw new Error(`reservation not found: ${reservationId}`);
      w.stock[r.sku] += r.quantity;
      delete w.reservations[reservationId];
      return { reservationId };
    }),
    "orders.create_invoice": write(
      "Create an invoice for an order. Result: {invoiceId}.",
      { orderId: S, amountCents: I },
      ({ orderId, amountCents }) => {
        const o = order(orderId);
        const id = "I" + next("invoice", 6);
        w.invoices.push({ id, customerId: o.customerId, amountCents, due: "2024-06-05", paidOn: null });
        return { invoiceId: id };
      },
    ),
    "orders.charge_card": write(
      "Charge the card of a customer. Fails when the card is declined. Result: {chargeId}.",
      { customerId: S, amountCents: I },
      ({ customerId }) => {
        customer(customerId);
        if (w.declined.includes(customerId)) throw new Error("card declined");
        return { chargeId: "X" + next("charge") };
      },
    ),
    "orders.void_invoice": write("Void an invoice. Result: {invoiceId}.", { invoiceId: S }, ({ invoiceId }) => {
      if (!w.invoices.some((i) => i.id === invoiceId)) throw new Error(`invoice not found: ${invoiceId}`);
      w.invoices = w.invoices.filter((i) => i.id !== invoiceId);
      return { invoiceId };
    }),

    // ----------------------------------------------------------------- jobs
    "jobs.start": write(
      "Start a job. kind \"report\" takes input {month}; kind \"thumbnail\" takes input {path}. Result: {jobId}.",
      { kind: { type: "string", enum: ["report", "thumbnail"] }, input: OBJ },
      ({ kind, input }) => {
        const plan = jobPlan(kind, input);
        const jobId = "J" + next("job");
        w.jobs.push({ jobId, kind, state: "queued", plan, polls: 0 });
        return { jobId };
      },
    ),
    "jobs.status": read(
      "State of a job: {state: \"queued\"|\"running\"|\"done\"|\"failed\", progress, error}. progress (0 to 100) is absent while queued and when failed; error is there only when failed. The call itself waits a little for news, so no pause is needed between calls.",
      { jobId: S },
      ({ jobId }) => {
        const j = job(jobId);
        if (!j.plan) return { state: j.state };
        const s = j.plan.states[Math.min(j.polls, j.plan.states.length - 1)];
        j.polls += 1;
        j.state = s.state;
        return s;
      },
    ),
    "jobs.result": read(
      "Result of a job that is done: a text for a report, {width, height} for a thumbnail. Fails when the job is not done.",
      { jobId: S },
      ({ jobId }) => {
        const j = job(jobId);
        if (j.state !== "done" || !j.plan) throw new Error(`no result: job ${jobId} is ${j.state}`);
        return j.plan.result;
      },
    ),
    "jobs.list": read("All jobs: [{jobId, kind, state}]; state is queued, running, done or failed.", {}, () =>
      w.jobs.map(({ jobId, kind, state }) => ({ jobId, kind, state })),
    ),

    // ------------------------------------------------- weather, meteo and kb
    "weather.current": read(
      "Weather now: {city, tempC, windMs}. tempC is null when the thermometer is broken; windMs may be absent. Fails for a city without a working station.",
      { city: S },
      ({ city }) => {
        if (!Object.hasOwn(w.weather, city)) throw new Error(`station offline: ${city}`);
        return { city, ...w.weather[city] };
      },
    ),
    "weather.forecast": read(
      "Forecast from today on: a list of days {date, minC, maxC, rainMm}; rainMm is null when unknown.",
      { city: S, days: { type: "integer", minimum: 1, maximum: 4 } },
      ({ city, days }) => {
        if (!Object.hasOwn(w.forecast, city)) throw new Error(`no forecast: ${city}`);
        return w.forecast[city].slice(0, days);
      },
    ),
    "meteo.now": read("Second weather provider: {place, celsius}. Fails for an unknown place.", { place: S }, ({ place }) => {
      if (!Object.hasOwn(w.meteo, place)) throw new Error(`unknown place: ${place}`);
      return { place, celsius: w.meteo[place] };
    }),
    "kb.search": read(
      "Search the knowledge base: {total, hits: [{title, url, score}]}. hits is absent when nothing was found; the hits are not sorted. May fail with \"temporarily unavailable\".",
      { q: S },
      ({ q }) => {
        if ((w.kbFailures[q] ?? 0) > 0) {
          w.kbFailures[q] -= 1;
          throw new Error("temporarily unavailable");
        }
        const hits = Object.hasOwn(w.kb, q) ? w.kb[q] : [];
        return hits.length ? { total: hits.length, hits } : { total: 0 };
      },
    ),
    "kb.page": read("A knowledge base page: {title, text, updated}. updated is a date, null, or absent.", { url: S }, ({ url }) => {
      if (!Object.hasOwn(w.kbPages, url)) throw new Error(`page not found: ${url}`);
      return w.kbPages[url];
    }),

    // ------------------------------------------------------------------- db
    "db.query": read(
      "Rows of a table in order of id: {rows, total}. where gives columns that must be equal; limit (at most 5, which is the default) and offset (default 0) page through them; total is the number of all matching rows. A column may be null or absent in a row.",
      { table: S, "where?": OBJ, "limit?": { type: "integer", minimum: 1, maximum: 5 }, "offset?": { type: "integer", minimum: 0 } },
      ({ table: t, where = {}, limit = 5, offset = 0 }) => {
        const all = table(t).filter((r) => Object.entries(where).every(([k, v]) => (r[k] ?? null) === v));
        return { rows: all.slice(offset, offset + limit), total: all.length };
      },
    ),
    "db.insert": write("Insert a row; the id is given by the database. Result: {id}.", { table: S, row: OBJ }, ({ table: t, row }) => {
      const rows = table(t);
      const id = rows.reduce((m, r) => Math.max(m, r.id), 0) + 1;
      rows.push({ ...row, id });
      return { id };
    }),
    "db.update": write("Change columns of one row. Fails when there is no such row. Result: {id}.", { table: S, id: I, set: OBJ }, ({ table: t, id, set }) => {
      const r = table(t).find((x) => x.id === id);
      if (!r) throw new Error(`row not found: ${id}`);
      Object.assign(r, set);
      return { id };
    }),
  };
}

/** A yes/no answer in the form the schema asks for: a boolean, or an object whose boolean properties are set. */
function yesNo(yes) {
  return (message, schema) => {
    if (schema && schema.type === "object") {
      const out = {};
      for (const [k, s] of Object.entries(schema.properties || {})) {
        if (s.type === "boolean") out[k] = yes;
        else if (s.enum) out[k] = s.enum.find((e) => String(e).toLowerCase() === (yes ? "yes" : "no")) ?? s.enum[yes ? 0 : s.enum.length - 1];
        else if (s.type === "string") out[k] = yes ? "yes" : "no";
      }
      return out;
    }
    if (schema && schema.enum) return schema.enum.find((e) => String(e).toLowerCase() === (yes ? "yes" : "no")) ?? schema.enum[yes ? 0 : schema.enum.length - 1];
    if (schema && schema.type === "string") return yes ? "yes" : "no";
    return yes;
  };
}

/** The user's answers: answers[taskId](message, schema) -> the content of the answer. */
export const answers = { 17: yesNo(true) };

/**
 * Besides tools and log: asks, the questions that were put through ask(message, schema)
 * as {message, schema, before} (before = number of tool calls made until then).
 */
export function makeServers(taskId) {
  const w = world();
  const log = [];
  const asks = [];
  const tools = {};
  for (const [name, d] of Object.entries(definitions(w))) {
    tools[name] = {
      description: d.description,
      inputSchema: d.inputSchema,
      effect: d.effect,
      fn(args = {}) {
        log.push({ tool: name, args: clone(args) });
        const bad = validate(d.inputSchema, args);
        if (bad) throw new Error(`invalid arguments: ${bad}`);
        return clone(d.fn(clone(args)));
      },
    };
  }
  const ask = (message, schema) => {
    asks.push({ message, schema: clone(schema), before: log.length });
    if (!answers[taskId]) throw new Error("nobody is there to answer");
    return clone(answers[taskId](message, schema));
  };
  return { tools, log, asks, ask };
}
