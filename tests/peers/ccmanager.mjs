// `node ccmanager.mjs PACKAGE SCREENS`: the detectors of ccmanager on the screens that
// madohub-peers wrote; prints a row of the same table.
//
// Each is given a terminal that holds the screen, as its own session manager does, and is asked
// twice with two seconds between, because it says `idle` only of a screen that stood still.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, screens] = process.argv.slice(2);
if (!folder || !screens) {
  console.error('usage: node ccmanager.mjs PACKAGE SCREENS');
  process.exit(2);
}
const url = (path) => pathToFileURL(resolve(join(folder, path))).href;
const { createStateDetector } = await import(url('dist/services/stateDetector/index.js'));
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const ROUNDS = 21;

const terminal = (rows) => ({
  rows: rows.length,
  cols: Math.max(...rows.map((row) => row.length), 1),
  buffer: {
    active: {
      type: 'normal',
      baseY: 0,
      cursorX: 0,
      cursorY: 0,
      length: rows.length,
      getLine: (y) => (y < rows.length ? { translateToString: () => rows[y] } : undefined),
    },
  },
});

const cases = readFileSync(screens, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line))
  .map((it) => ({ ...it, terminal: terminal(it.rows), detector: createStateDetector(it.agent) }));

const clock = Date.now;
const means = {
  idle: ['idle', 'completed', 'failed', 'stopped'],
  busy: ['working'],
  waiting_input: ['waiting'],
};
let right = 0;
for (const it of cases) {
  it.detector.detectState(it.terminal, 'idle');
  Date.now = () => clock() + 2000;
  const said = it.detector.detectState(it.terminal, 'idle');
  Date.now = clock;
  if ((means[said] ?? []).some((state) => it.accept.includes(state))) right += 1;
}
const times = cases.map(() => []);
for (let round = 0; round < ROUNDS; round += 1) {
  cases.forEach((it, i) => {
    const start = process.hrtime.bigint();
    it.detector.detectState(it.terminal, 'idle');
    times[i].push(Number(process.hrtime.bigint() - start) / 1000);
  });
}
const at = (list, p) => list.sort((a, b) => a - b)[Math.floor(((list.length - 1) * p) / 100)];
const medians = times.map((list) => at(list, 50));
const share = ((100 * right) / cases.length).toFixed(1);
const mean = (medians.reduce((sum, time) => sum + time, 0) / medians.length).toFixed(1);
const [half, most] = [at(medians, 50), at(medians, 99)].map((time) => time.toFixed(1));
console.log(`| ccmanager ${version} | ${share} % | ${mean} | ${half} | ${most} |`);
