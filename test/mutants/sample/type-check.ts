import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Says whether a file of a checkout still passes the type check with another text. The first question takes a while. */
export class TypeCheck {
  private readonly texts = new Map<string, { text: string; version: number }>();
  private readonly service: ts.LanguageService;

  constructor(private readonly root: string) {
    const path = join(root, 'tsconfig.build.json');
    const { options, fileNames } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(path, (name) => ts.sys.readFile(name)).config,
      ts.sys,
      root,
    );
    this.service = ts.createLanguageService({
      // What a mistake leaves unused is a matter of style.
      getCompilationSettings: () => ({ ...options, noUnusedLocals: false, noUnusedParameters: false }),
      getScriptFileNames: () => fileNames,
      getScriptVersion: (name) => String(this.texts.get(name)?.version ?? 0),
      getScriptSnapshot: (name) => {
        const text = this.texts.get(name)?.text ?? ts.sys.readFile(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
      fileExists: (name) => ts.sys.fileExists(name),
      readFile: (name) => ts.sys.readFile(name),
      readDirectory: (...args) => ts.sys.readDirectory(...args),
      directoryExists: (name) => ts.sys.directoryExists(name),
      getDirectories: (name) => ts.sys.getDirectories(name),
    });
  }

  passes(file: string, text: string): boolean {
    const name = join(this.root, file);
    this.set(name, text);
    const faults = [...this.service.getSyntacticDiagnostics(name), ...this.service.getSemanticDiagnostics(name)];
    this.set(name, readFileSync(name, 'utf8'));
    return faults.length === 0;
  }

  private set(name: string, text: string): void {
    this.texts.set(name, { text, version: (this.texts.get(name)?.version ?? 0) + 1 });
  }
}
