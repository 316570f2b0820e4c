"use strict";
// Sorting, filtering and files of data. Without it the page is complete, and its tables are plain.
(() => {
  const by = (id) => document.getElementById(id);
  const table = by("table");
  const rows = [...table.tBodies];
  const heads = [...table.tHead.rows[0].cells];
  document.documentElement.classList.add("js");

  // Sorting: numbers by their keys, what has none at the end, words as people read them.
  const words = new Intl.Collator("en", { numeric: true });
  const key = (row, column) => {
    const cell = row.rows[0].cells[column];
    return "v" in cell.dataset ? cell.dataset.v : cell.textContent.trim();
  };
  const order = (column, sign) => (a, b) => {
    const [left, right] = [key(a, column), key(b, column)];
    if (left === "" || right === "") return (left === "") - (right === "");
    const apart = "v" in a.rows[0].cells[column].dataset ? left - right : words.compare(left, right);
    return sign * apart || place.get(a) - place.get(b);
  };
  const place = new Map(rows.map((row, number) => [row, number]));
  const sort = (column) => {
    const down = heads[column].getAttribute("aria-sort") === "ascending";
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
    table.append(...[...rows].sort(order(column, down ? -1 : 1)));
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(column));
    head.append(button);
  });

  // Folding: what lies below a row is opened from the row's own end.
  for (const row of rows) {
    const more = row.rows[1];
    if (!more) continue;
    const details = more.querySelector("details");
    const button = document.createElement("button");
    const show = (open) => {
      more.hidden = !open;
      details.open = open;
      button.setAttribute("aria-expanded", String(open));
    };
    button.type = "button";
    button.className = "fold";
    button.setAttribute("aria-label", details.querySelector("summary").textContent);
    button.addEventListener("click", () => show(more.hidden));
    row.rows[0].lastElementChild.append(button);
    show(false);
  }

  // Filtering: every word must occur in the row, or in what is folded away below it.
  const text = rows.map((row) => row.textContent.toLowerCase());
  const filter = () => {
    const wanted = by("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const of = by("of")?.value ?? "";
    const state = by("state").value;
    let shown = 0;
    rows.forEach((row, number) => {
      const fits = (!of || row.dataset.of === of) && (!state || row.dataset.state === state)
        && wanted.every((word) => text[number].includes(word));
      row.hidden = !fits;
      shown += fits;
    });
    by("count").textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
  };
  ["find", "of", "state"].forEach((id) => by(id)?.addEventListener("input", filter));
  document.querySelector(".tools").hidden = false;
  filter();

  // Files: the data of the page, with logs and commands taken from the table.
  const whole = () => {
    const data = JSON.parse(by("data").textContent);
    for (const row of rows) {
      const lines = [...row.querySelectorAll("pre.again")].map((one) => one.textContent);
      Object.assign(data.cells[row.dataset.cell], { log: row.querySelector("pre.log")?.textContent ?? "", again: lines });
    }
    return data;
  };
  // A spreadsheet takes text that begins like a formula for one.
  const field = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csv = (data) => {
    const metrics = data.metrics.filter((metric) => metric.of_items).map((metric) => metric.name);
    const lines = [["policy", "item", "stratum", "state", "status", ...metrics, "hours", "attempts"]];
    for (const cell of data.cells) {
      const values = metrics.map((name) => cell.values[name]);
      lines.push([cell.policy, cell.item, cell.stratum, cell.state, cell.status, ...values, cell.hours, cell.tries.length]);
    }
    return lines.map((line) => line.map(field).join(",") + "\r\n").join("");
  };
  const save = (name, kind, content) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type: kind }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  by("json").addEventListener("click", () => save("report.json", "application/json", JSON.stringify(whole(), null, 1) + "\n"));
  by("csv").addEventListener("click", () => save("report.csv", "text/csv", csv(whole())));
})();
