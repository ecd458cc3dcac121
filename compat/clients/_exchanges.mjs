// What a client and a server say to each other beside calls and results: the same as _exchanges.py.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";

const KEY = "outcome_contract";
const TOLD = "This result is inconsistent";
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// A client gives `result(tool, arguments, options)`, `names()`, `listen()`, `era`, and what it `heard`, by kind.
export const hears = (heard, kind, what) => (heard[kind] ??= []).push(what);

async function call(talker, tool, given = {}, options = {}) {
  const [name, more] = talker.asks[tool] ?? [tool, {}];
  const { structuredContent = {}, content } = await talker.result(name, { ...given, ...more }, options);
  const { [KEY]: receipt, ...said } = structuredContent;
  const texts = content.map(({ text }) => text);
  const theirs = texts.filter((text) => !text.includes(TOLD));
  return { said, texts: theirs, receipts: (receipt ? 1 : 0) + texts.length - theirs.length };
}

async function until(talker, kind) {
  for (let tries = 0; tries < 250 && !talker.heard[kind]; tries += 1) await pause(20);
  return talker.heard[kind] ?? null;
}

const asked = (tool, kind) => async (talker) => [await call(talker, tool), talker.heard[kind] ?? null];

const EXCHANGES = {
  sampling: asked("sample", "sampling"),
  elicitation: asked("elicit", "elicitation"),
  roots: asked("roots", "roots"),
  progress: async (talker) => {
    const steps = [];
    return [await call(talker, "count", {}, { onprogress: ({ progress }) => steps.push(progress) }), steps];
  },
  logging: async (talker) => [await call(talker, "log"), await until(talker, "logging")],
  "list changes": async (talker) => {
    const name = `added-${randomUUID()}`;
    const stop = await talker.listen();
    const called = await call(talker, "grow", { name });
    const heard = (await until(talker, "list changes")) !== null;
    await stop?.();
    return [called, heard, (await talker.names()).includes(name)];
  },
  cancellation: async (talker) => {
    const before = (await call(talker, "waited")).said.status;
    const off = new AbortController();
    const begun = { signal: off.signal, onprogress: () => off.abort("enough") };
    await talker.result("wait", {}, begun).catch(() => {});
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await call(talker, "waited")).said.status !== before) return true;
      await pause(50);
    }
    return false;
  },
  resumption: async (talker) => {
    const before = (await call(talker, "resumed")).said.status;
    return [await call(talker, "resume"), (await call(talker, "resumed")).said.status !== before];
  },
};

async function tried(talker, name) {
  const late = pause(20_000).then(() => ({ error: "it took too long" }));
  return Promise.race([EXCHANGES[name](talker).catch((error) => ({ error: String(error).slice(0, 200) })), late]);
}

export async function main(connected) {
  const all = [];
  for (const { wanted, asks = {}, answer = { sure: true }, ...target } of JSON.parse(readFileSync(0, "utf8"))) {
    const talker = { ...(await connected({ ...target, answer })), asks };
    // Such a server adds tools once it knows its client, and may ask for roots at once.
    if (Object.keys(asks).length) await pause(1000);
    await talker.names();
    const heard = {};
    for (const name of wanted) heard[name] = await tried(talker, name);
    all.push({ era: talker.era, heard });
    await talker.close();
  }
  console.log(JSON.stringify(all));
  process.exit(0);
}
