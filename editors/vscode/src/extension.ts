// The extension of Sigrel for Visual Studio Code: a client of `sigrel lsp`, and panels for what the program writes.
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
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

/** The answer of the server to `sigrel/plot` and `sigrel/blocks`. */
interface Answer {
  completed: boolean;
  time?: number;
  values?: { name: string; text: string }[];
  messages: string;
  text?: string;
  svg?: string;
}

/** Asks the server, which has the text of the editor: it need not be saved. */
async function ask(method: string, title: string, uri?: string, name?: string): Promise<{ file: string; answer: Answer } | undefined> {
  const document = uri ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri)) : vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'sigrel' || !client) {
    void vscode.window.showInformationMessage(client ? 'Open a model of Sigrel first.' : 'The language server of Sigrel does not run.');
    return undefined;
  }
  const server = client;
  const params = { textDocument: { uri: server.code2ProtocolConverter.asUri(document.uri) }, definition: name };
  try {
    const answer = await running(title, (token) => server.sendRequest<Answer>(method, params, token));
    return { file: document.uri.toString(), answer };
  } catch (error) {
    // A run that was cancelled needs no message.
    if ((error as { code?: number }).code !== -32800) void vscode.window.showErrorMessage(String(error));
    return undefined;
  }
}

function image(svg?: string): string {
  return svg ? `<img class="plot" src="data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}">` : '';
}

async function plot(uri?: string, name?: string): Promise<void> {
  const found = await ask('sigrel/plot', 'Sigrel runs the model', typeof uri === 'string' ? uri : undefined, name);
  if (!found) return;
  const { time, values, messages, svg } = found.answer;
  const width = Math.max(0, ...(values ?? []).map((one) => one.name.length));
  const list = (values ?? []).slice(0, 60).map((one) => `  ${one.name.padEnd(width)} = ${one.text}`).join('\n');
  show('plot', 'Sigrel: plot', found.file, `${image(svg)}<pre>${escaped(messages + (time === undefined ? '' : `t = ${time} s\n${list}`))}</pre>`);
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
  const found = await ask('sigrel/blocks', 'Sigrel analyses the model');
  if (found) show('blocks', 'Sigrel: model', found.file, `<pre>${escaped(found.answer.messages + (found.answer.text ?? ''))}</pre>${image(found.answer.svg)}`);
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
