import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CLIENTS, installClients } from '../client-packages';
import { compileCache } from '../compile-cache';
import { readDocument } from './markdown';

/** Examples of the README and of the guide for customers' developers, by their page. */
export const guideExamples = ['README.md', ...globSync('docs/guide/*.md').sort()].flatMap((path) =>
  readDocument(path).blocks.map((block) => [path, block] as const),
);

/** Those that are programs. */
export const guidePrograms = guideExamples.filter(([, { language }]) => language === 'ts');

/** The end of a program. */
export interface ProgramEnd {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Packages that only programs of the guide use; the others are those of the repository. */
const CLIENT_PACKAGES = ['ai', '@ai-sdk'];

/** A folder in which programs of the guide run as their readers run them. */
export class GuideFolder {
  // Below the repository, so that the packages are found.
  private readonly folder: string;
  private readonly running = new Set<ChildProcess>();

  /** Installs the programs' packages, and writes the programs. */
  static async create(): Promise<GuideFolder> {
    await installClients();
    return new GuideFolder();
  }

  private constructor() {
    mkdirSync('dist', { recursive: true });
    this.folder = mkdtempSync(resolve('dist', 'guide-'));
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ type: 'module' }));
    mkdirSync(join(this.folder, 'node_modules'));
    for (const name of CLIENT_PACKAGES)
      symlinkSync(resolve(CLIENTS, 'node_modules', name), join(this.folder, 'node_modules', name));
    for (const [, { options, text }] of guidePrograms)
      if (options.file !== undefined) writeFileSync(join(this.folder, options.file), text);
  }

  /** Runs a program, named by its file. */
  run(file: string, variables: { API: string; TOKEN: string }, words: string[] = []): Promise<ProgramEnd> {
    const env = { NODE_ENV: 'test', ...compileCache, ...variables };
    const child = spawn(process.execPath, [join(this.folder, file), ...words], { env, cwd: this.folder });
    const end: ProgramEnd = { exitCode: null, stdout: '', stderr: '' };
    this.running.add(child);
    child.once('close', () => this.running.delete(child));
    child.stdout.on('data', (text) => (end.stdout += String(text)));
    child.stderr.on('data', (text) => (end.stderr += String(text)));
    return new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (exitCode) => resolve({ ...end, exitCode }));
    });
  }

  /** Ends programs that a failed test has left. */
  remove(): void {
    for (const child of this.running) child.kill();
    rmSync(this.folder, { recursive: true });
  }
}
