// The main walk through the built page in a browser with WebDriver: open, play against the computer, analyse, learn,
// export. Usage: node walk.mjs firefox|webkit ADDRESS-OF-THE-DRIVER FOLDER-FOR-PICTURES;
// scripts/long/browsers calls it.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { serve } from "../../../scripts/host.js";

const [kind, driver, pictures] = process.argv.slice(2);
const host = await serve(resolve(import.meta.dirname, "../dist"));

/** Sends a request to the driver; WebDriver's errors are thrown. */
async function ask(method, path, body) {
    const init = { method, headers: { "Content-Type": "application/json" } };
    if (method === "POST") init.body = JSON.stringify(body ?? {});
    const { value } = await (await fetch(driver + path, init)).json();
    if (value?.error) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
}

const CAPABILITIES = {
    firefox: { "moz:firefoxOptions": { args: ["-headless"] } },
    webkit: {
        "webkitgtk:browserOptions": {
            binary: process.env.MINIBROWSER,
            args: ["--automation"],
        },
    },
};
const opened = await ask("POST", "/session", { capabilities: { alwaysMatch: CAPABILITIES[kind] } });
const session = `/session/${opened.sessionId}`;
console.log(`${opened.capabilities.browserName} ${opened.capabilities.browserVersion}`);
await ask("POST", `${session}/window/rect`, { width: 1280, height: 860 }).catch(() => {});

/** Runs a function in the page. */
const run = (script, ...args) =>
    ask("POST", `${session}/execute/sync`, { script: `return (${script})(...arguments)`, args });

/** Waits until a function in the page returns true; a busy machine is not a fault of the page. */
async function until(what, script, ...args) {
    for (const end = Date.now() + 120_000; Date.now() < end;) {
        const value = await run(script, ...args);
        if (value) return value;
        await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error(`${what}: waited in vain`);
}

/** Clicks like a person: the browser reports an obstruction. */
async function click(selector) {
    await until(selector, (selector) => document.querySelector(selector) !== null, selector);
    const found = await ask("POST", `${session}/element`, { using: "css selector", value: selector });
    await ask("POST", `${session}/element/${Object.values(found)[0]}/click`);
}

const plies = () =>
    run(() => {
        const text = sessionStorage.getItem("millbrain.game") ?? localStorage.getItem("millbrain.game");
        const { tree, at } = JSON.parse(text ?? '{"tree":null}');
        let count = 0;
        for (let id = at ?? 0; tree && id > 0; id = tree.nodes[id].parent) count++;
        return count;
    });

async function picture(name) {
    const data = await ask("GET", `${session}/screenshot`);
    writeFileSync(join(pictures, `${kind}-${name}.png`), Buffer.from(data, "base64"));
}

/** Plays moves by clicks on anything that the board offers, and waits for the replies. */
async function play(moves) {
    for (let made = 0; made < moves; made++) {
        const before = await plies();
        await until("one's turn", () => document.querySelector(".points button.active") !== null);
        for (let clicks = 0; (await plies()) === before; clicks++) {
            if (clicks > 6) throw new Error("no move by six clicks");
            const [point] = await run(() => {
                const points = [...document.querySelectorAll(".points button.active")];
                // Targets of a chosen piece come before other pieces to choose.
                const shown = document.querySelector(".ring") === null ? points : points.toReversed();
                return shown.map(({ dataset }) => dataset.point);
            });
            if (point === undefined) break;
            await click(`.points [data-point="${point}"]`);
        }
        for (const end = Date.now() + 120_000; (await plies()) < before + 2;) {
            if (Date.now() > end) throw new Error("no reply");
            await new Promise((done) => setTimeout(done, 50));
        }
    }
}

const STEPS = {
    async open() {
        await ask("POST", `${session}/url`, { url: host.url });
        await click("[data-play-now]");
        await until("a board", () => document.querySelectorAll(".points button").length === 24);
        await run(() => {
            window.faults = [];
            const reported = (error) => `${error} ${error?.stack ?? ""}`;
            addEventListener("error", ({ message, error }) =>
                window.faults.push(`${message} ${reported(error)}`),
            );
            addEventListener("unhandledrejection", ({ reason }) => window.faults.push(reported(reason)));
        });
    },
    play: () => play(5),
    async analyse() {
        await click("[data-place=analyse]");
        await click('#panel button[aria-pressed="false"]');
        await until("a line", () => /\d/.test(document.querySelector("[data-lines]")?.textContent ?? ""));
    },
    async learn() {
        await click("[data-place=learn]");
        await click("[data-lesson]");
        await until("a lesson", () => document.querySelector("[data-message], [data-close]") !== null);
        await picture("lesson");
        await click("[data-close]");
    },
    async export() {
        await click("[data-place=games]");
        await until("a record", () => document.querySelector("[data-export]")?.value.includes("morris"));
    },
    async smess() {
        await click("[data-new]");
        await click('.variant:has(input[value="smess"])');
        await click("[data-start]");
        await until("squares", () => document.querySelectorAll(".squares .points button").length === 56);
        await click('.points [data-point="d2"]');
        await click('.points [data-point="d3"]');
        for (const end = Date.now() + 120_000; (await plies()) < 2;) {
            if (Date.now() > end) throw new Error("no reply");
            await new Promise((done) => setTimeout(done, 50));
        }
    },
};

let failed = 0;
for (const [name, step] of Object.entries(STEPS)) {
    const begun = Date.now();
    try {
        await step();
        console.log(`  ${name}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    } catch (error) {
        failed += 1;
        console.log(`  ${name}: FAILED, ${error.message}`);
    }
    await picture(name).catch(() => {});
    const faults = await run(() => window.faults?.splice(0) ?? []).catch(({ message }) => [message]);
    for (const fault of faults) console.log(`  ${name}: the page threw ${fault}`);
    failed += faults.length;
}
await ask("DELETE", session).catch(() => {});
host.close();
process.exitCode = failed > 0 ? 1 : 0;
