// The extension of Sigrel for Visual Studio Code: a client of `sigrel lsp`, and panels for what the program writes.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

function program(): string {
  return vscode.workspace.getConfiguration('sigrel').get('path', 'sigrel');
}

async function start(): Promise<void> {
  const server = { command: program(), args: ['lsp'] };
  client = new LanguageClient('sigrel', 'Sigrel', server, { documentSelector: [{ language: 'sigrel' }] });
  try {
    await client.start();
  } catch {
    client = undefined;
    const choice = await vscode.window.showErrorMessage(
      `The language server \`${program()} lsp\` does not start. Is Sigrel installed?`, 'Open the settings');
    if (choice) await vscode.commands.executeCommand('workbench.action.openSettings', 'sigrel.path');
  }
}

/** The open model, saved; or that of a lens, which names its file. */
async function model(uri?: string): Promise<string | undefined> {
  const document = uri ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))
    : vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'sigrel') {
    void vscode.window.showInformationMessage('Open a model of Sigrel first.');
    return undefined;
  }
  if ((document.isDirty || document.isUntitled) && !(await document.save())) return undefined;
  return document.uri.scheme === 'file' ? document.uri.fsPath : undefined;
}

interface Result {
  code: number;
  out: string;
  err: string;
}

function sigrel(args: string[], folder: string, token: vscode.CancellationToken): Promise<Result> {
  return new Promise((resolve) => {
    const child = execFile(program(), args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (error, out, err) => {
      resolve({ code: error ? (typeof error.code === 'number' ? error.code : 70) : 0, out, err: err || (error?.message ?? '') });
    });
    token.onCancellationRequested(() => child.kill('SIGINT'));
  });
}

const panels = new Map<string, vscode.WebviewPanel>();

/** One panel for each kind and file, which later results replace. */
function show(kind: string, title: string, file: string, body: string): void {
  const key = `${kind} ${file}`;
  let panel = panels.get(key);
  if (!panel) {
    panel = vscode.window.createWebviewPanel(`sigrel.${kind}`, title, vscode.ViewColumn.Beside, {});
    panel.onDidDispose(() => panels.delete(key));
    panels.set(key, panel);
  }
  panel.webview.html = `<!DOCTYPE html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<style>.plot { background: white; max-width: 100%; } pre { font-family: var(--vscode-editor-font-family); }</style>${body}`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function running<T>(title: string, task: (token: vscode.CancellationToken) => Promise<T>): Thenable<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true },
    (_, token) => task(token));
}

/** The arguments that run this definition instead of `main`. */
function chosen(name?: string): string[] {
  return name && name !== 'main' ? ['-e', name] : [];
}

async function plot(uri?: string, name?: string): Promise<void> {
  const file = await model(typeof uri === 'string' ? uri : undefined);
  if (!file) return;
  const folder = await mkdtemp(join(tmpdir(), 'sigrel-'));
  try {
    const picture = join(folder, 'plot.svg');
    const result = await running('Sigrel runs the model', (token) =>
      sigrel(['run', file, ...chosen(name), '--plot', picture, '--no-plot', '--color', 'never'], dirname(file), token));
    const svg = await readFile(picture, 'utf8').catch(() => undefined);
    const image = svg ? `<img class="plot" src="data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}">` : '';
    show('plot', 'Sigrel: plot', file, `${image}<pre>${escaped(result.out + result.err)}</pre>`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The report has a script of its own: it opens in the browser. */
async function report(uri?: string, name?: string): Promise<void> {
  const file = await model(typeof uri === 'string' ? uri : undefined);
  if (!file) return;
  const folder = await mkdtemp(join(tmpdir(), 'sigrel-'));
  const page = join(folder, 'report.html');
  const result = await running('Sigrel runs the model', (token) =>
    sigrel(['report', file, ...chosen(name), '-o', page, '--color', 'never'], dirname(file), token));
  if (result.code === 0) await vscode.env.openExternal(vscode.Uri.file(page));
  else show('plot', 'Sigrel: report', file, `<pre>${escaped(result.out + result.err)}</pre>`);
}

async function explain(): Promise<void> {
  const file = await model();
  if (!file) return;
  const result = await running('Sigrel analyses the model', (token) =>
    sigrel(['explain', file, '--color', 'never'], dirname(file), token));
  show('blocks', 'Sigrel: model', file, `<pre>${escaped(result.out + result.err)}</pre>`);
}

function task(command: string, file: string, more: string[] = []): vscode.Task {
  const made = new vscode.Task({ type: 'sigrel', command }, vscode.TaskScope.Workspace, command, 'sigrel',
    new vscode.ProcessExecution(program(), [command, file, ...more], { cwd: dirname(file) }), '$sigrel');
  if (command === 'check') made.group = vscode.TaskGroup.Build;
  return made;
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand('sigrel.plot', plot),
    vscode.commands.registerCommand('sigrel.blocks', explain),
    vscode.commands.registerCommand('sigrel.report', report),
    vscode.commands.registerCommand('sigrel.run', async (uri?: string, name?: string) => {
      const file = await model(typeof uri === 'string' ? uri : undefined);
      if (file) await vscode.tasks.executeTask(task('run', file, chosen(name)));
    }),
    vscode.commands.registerCommand('sigrel.restart', async () => {
      await client?.stop();
      await start();
    }),
    vscode.tasks.registerTaskProvider('sigrel', {
      provideTasks: () => ['check', 'run'].map((command) => task(command, '${file}')),
      resolveTask: (given) => task(given.definition.command, '${file}'),
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration('sigrel.path')) await vscode.commands.executeCommand('sigrel.restart');
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
