// A session of Visual Studio Code with the extension, as a user has it: an error that is underlined, the type of a name,
// a plot by its lens, the members of a part. An acceptance script, whose pictures are to be looked at:
//   node tests/session.mjs CODE_SERVER EXTENSION.vsix SIGREL CHROMIUM OUTPUT_FOLDER
// CODE_SERVER is the entry of the npm package `code-server`; `playwright-core` is needed, too.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [server, extension, sigrel, browser, output] = process.argv.slice(2);
const { chromium } = createRequire(resolve(server))('playwright-core');
const home = mkdtempSync(join(tmpdir(), 'sigrel-code-'));
const folder = join(home, 'models');
mkdirSync(folder);
mkdirSync(output, { recursive: true });
writeFileSync(join(folder, 'filter.sr'), `import Electrical

-- | A low pass of the first order.
filter :: SR ()
filter = sigrel () where
  constantVoltage 10.0 <> (a, g)
  resistor 100.0       <> (a, b)
  c: capacitor 1.0e-4  <> (b, g)
  ground               <> g
  initially c.u = 0.0

main = simulate filter with { stop = 0.05, plot = ["c.u"] }
`);
const data = join(home, 'data');
mkdirSync(join(data, 'User'), { recursive: true });
writeFileSync(join(data, 'User', 'settings.json'), JSON.stringify({
  'security.workspace.trust.enabled': false,
  'sigrel.path': sigrel,
  'workbench.startupEditor': 'none',
  'workbench.colorTheme': 'Default Light Modern',
}));
const common = ['--user-data-dir', data, '--extensions-dir', join(home, 'extensions')];
const installed = spawnSync('node', [server, ...common, '--install-extension', extension], { encoding: 'utf8' });
console.log(installed.stdout.trim(), installed.stderr.trim());
const port = 8123;
const code = spawn('node', [server, ...common, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, folder], { stdio: 'ignore' });
const seen = {};
let page;
try {
  page = await (await chromium.launch({ executablePath: browser, args: ['--no-sandbox'] })).newPage({ viewport: { width: 1400, height: 900 } });
  for (let k = 0; ; ++k) {
    try {
      await page.goto(`http://127.0.0.1:${port}/?folder=${folder}`);
      break;
    } catch (error) {
      if (k === 60) throw error;
      await new Promise((done) => setTimeout(done, 500));
    }
  }
  await page.waitForSelector('.monaco-workbench', { timeout: 60000 });
  const command = async (text) => {
    await page.keyboard.press('F1');
    await page.waitForSelector('.quick-input-widget input');
    await page.keyboard.type(text);
    await page.waitForTimeout(800);
    await page.keyboard.press('Enter');
  };
  await page.locator('.explorer-folders-view .label-name', { hasText: 'filter.sr' }).dblclick({ timeout: 60000 });
  await page.waitForSelector('.view-line', { timeout: 60000 });
  await page.waitForTimeout(4000);
  seen.colours = (await page.locator('.view-lines span[class^="mtk"]').evaluateAll((all) => new Set(all.map((e) => e.className)).size)) > 4;

  await page.locator('.view-line span', { hasText: 'resistor' }).last().hover();
  const hover = page.locator('.monaco-hover-content:visible', { hasText: 'Resistance' });
  await hover.first().waitFor({ timeout: 20000 });
  seen.hover = true;
  await page.screenshot({ path: join(output, 'hover.png') });
  await page.mouse.move(5, 5);

  await page.locator('.view-line span', { hasText: 'resistor' }).last().click();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type('b');
  await page.waitForSelector('.squiggly-error', { timeout: 15000 });
  await command('View: Toggle Problems');
  await page.waitForTimeout(1500);
  seen.problem = (await page.locator('.markers-panel').innerText()).includes('SR03');
  await page.screenshot({ path: join(output, 'error.png') });
  await page.locator('.view-line span', { hasText: 'resistor' }).last().click();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Backspace');
  await page.waitForSelector('.squiggly-error', { state: 'detached', timeout: 15000 });

  // The lens of `main` plots it; the text need not be saved.
  await page.locator('.codelens-decoration a', { hasText: 'Plot' }).last().click();
  await page.waitForSelector('iframe.webview.ready', { timeout: 30000 });
  await page.waitForTimeout(3000);
  const frame = page.frameLocator('iframe.webview.ready').frameLocator('iframe');
  seen.plot = await frame.locator('img.plot').evaluate((image) => image.naturalWidth > 100);
  await page.screenshot({ path: join(output, 'plot.png') });

  // The members of a part are offered behind a point, and the value of the last run is shown.
  await page.locator('.view-line span', { hasText: 'initially' }).last().click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('  c.');
  await page.waitForSelector('.suggest-widget.visible .monaco-list-row', { timeout: 15000 });
  seen.members = (await page.locator('.suggest-widget').innerText()).includes('u');
  await page.screenshot({ path: join(output, 'members.png') });
  await page.keyboard.press('Escape');
  await command('Sigrel: Explain the model');
  await page.waitForTimeout(3000);
  await page.screenshot({ path: join(output, 'blocks.png') });
} catch (error) {
  await page?.screenshot({ path: join(output, 'failed.png') });
  console.log(error.message);
} finally {
  code.kill();
}
console.log(seen);
process.exit(['colours', 'hover', 'problem', 'plot', 'members'].every((what) => seen[what]) ? 0 : 1);
