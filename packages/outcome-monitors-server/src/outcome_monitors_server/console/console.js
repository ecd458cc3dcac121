// What makes the page live: it follows the feed, sends forms without leaving the page, opens alarms, and knows a few keys.
// All markup comes from the server, where it is escaped; here nothing is put together from texts.
"use strict";

const live = document.getElementById("live");
const last = document.body.dataset.last;
let waiting = null;

function parsed(html) {
  // A parsed document runs no script, whatever it holds.
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
}

async function fetched(path) {
  const answer = await fetch(path, { headers: { Accept: "text/html" } });
  return answer.ok ? parsed(await answer.text()) : null;
}

async function fill(details) {
  const body = details.querySelector(".body");
  if (!details.open || !body || body.childNodes.length) return;
  const number = details.closest("article").dataset.event;
  const parts = await fetched(`/part/event/${number}`);
  if (parts && !body.childNodes.length) body.replaceChildren(...parts);
}

async function refreshPending() {
  for (const one of document.querySelectorAll("details[open] [data-pending]")) {
    const body = one.closest(".body");
    const parts = await fetched(`/part/event/${one.closest("article").dataset.event}`);
    if (parts) body.replaceChildren(...parts);
  }
}

async function refreshStatus() {
  waiting = null;
  refreshPending();
  const status = document.getElementById("status");
  if (!status) return;
  // Whoever is about to press a button there is not interrupted.
  if (status.contains(document.activeElement)) return later();
  const parts = await fetched("/part/status");
  if (parts) status.replaceChildren(...parts);
}

function later() {
  if (waiting === null) waiting = setTimeout(refreshStatus, 800);
}

async function refreshAlarms() {
  const section = document.getElementById("alarms");
  if (!section || last === undefined) return;
  if (section.contains(document.activeElement) && document.activeElement.matches("input, select")) return;
  const open = new Set([...section.querySelectorAll("article > details[open]")].map((one) => one.closest("article").id));
  const focused = document.activeElement.closest?.("article")?.id;
  const parts = await fetched(`/part/alarms?${new URLSearchParams({ q: section.dataset.asked })}`);
  if (!parts) return;
  section.replaceWith(...parts);
  for (const article of document.querySelectorAll("article.alarm")) {
    article.querySelector("details").open = open.has(article.id);
    if (article.id === focused) article.focus();
  }
}

async function arrived(event) {
  const { event: number } = JSON.parse(event.data);
  await refreshAlarms();
  document.getElementById(`event-${number}`)?.classList.add("fresh");
  say("on", `live; last alert: event ${number}`);
  later();
}

function say(state, words) {
  live.className = state;
  live.textContent = words;
}

function follow() {
  const feed = new EventSource(`/feed?after=${last}`);
  feed.addEventListener("open", () => say("on", "live"));
  feed.addEventListener("error", () => say("off", "the console does not answer; trying again"));
  feed.addEventListener("alarm", arrived);
  feed.addEventListener("changed", later);
  feed.addEventListener("decided", () => { later(); refreshAlarms(); });
  // A feed that is open holds a connection; the page lets go of it when it is left.
  addEventListener("pagehide", () => feed.close());
}

async function decide(form, button) {
  const fields = new URLSearchParams(new FormData(form, button));
  const output = form.querySelector("output");
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "application/json" } });
    output.textContent = (await answer.json()).said;
    if (answer.ok) say("on", output.textContent);
  } catch {
    output.textContent = "the console does not answer; nothing was decided";
  }
  button?.blur();
}

addEventListener("submit", (event) => {
  if (!event.target.matches("form.decide")) return;
  event.preventDefault();
  decide(event.target, event.submitter);
});
addEventListener("toggle", (event) => { if (event.target.matches("article details")) fill(event.target); }, true);

function step(by) {
  const all = [...document.querySelectorAll("article.alarm")];
  const here = all.indexOf(document.activeElement.closest?.("article"));
  const next = all[here < 0 ? 0 : Math.min(all.length - 1, Math.max(0, here + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function press(what) {
  document.activeElement.closest?.("article")?.querySelector(`button[value="${what}"]`)?.click();
}

const keys = {
  j: () => step(1),
  k: () => step(-1),
  o: () => { const one = document.activeElement.closest?.("article")?.querySelector("details"); if (one) one.open = !one.open; },
  m: () => press("mute"),
  w: () => press("wrong"),
  "/": () => { const field = document.querySelector(".search input"); if (field) field.focus(); else location.href = "/contracts"; },
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});

if (last !== undefined) follow();
