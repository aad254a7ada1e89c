import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** A log message of the service. */
export interface LogMessage {
  level: 'error' | 'warn';
  text: string;
  file: string;
}

/** The messages of warnings and errors that a source file logs, as far as they are literal texts. */
export function logMessages(file: string): LogMessage[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: LogMessage[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node)) {
      const level = levelOf(node.expression);
      if (level) for (const text of textsOf(node)) found.push({ level, text, file });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The level of `logger.error`, `this.logger.warn`, `this.logger[known ? 'warn' : 'error']`: the higher one of two. */
function levelOf(called: ts.Expression): LogMessage['level'] | undefined {
  const isAccess = ts.isPropertyAccessExpression(called) || ts.isElementAccessExpression(called);
  if (!isAccess || !/logger(>\(\w+\))?$/i.test(called.expression.getText())) return undefined;
  const name = ts.isPropertyAccessExpression(called) ? called.name.text : called.argumentExpression.getText();
  return (['error', 'warn'] as const).find((level) => new RegExp(`\\b${level}\\b`).test(name));
}

/** The literal texts among the arguments, and those of a member `msg`; both branches of a condition. */
function textsOf(call: ts.CallExpression): string[] {
  return call.arguments.flatMap((argument) => {
    if (!ts.isObjectLiteralExpression(argument)) return literals(argument);
    return argument.properties.flatMap((member) => {
      if (ts.isPropertyAssignment(member) && member.name.getText() === 'msg') return literals(member.initializer);
      if (ts.isShorthandPropertyAssignment(member) && member.name.text === 'msg')
        return literals(declared(call, 'msg'));
      return [];
    });
  });
}

function literals(value: ts.Expression | undefined): string[] {
  if (!value) return [];
  if (ts.isStringLiteralLike(value)) return [value.text];
  return ts.isConditionalExpression(value) ? [...literals(value.whenTrue), ...literals(value.whenFalse)] : [];
}

/** The value of a variable in an enclosing block. */
function declared(node: ts.Node, name: string): ts.Expression | undefined {
  for (let block: ts.Node = node; !ts.isSourceFile(block); block = block.parent) {
    if (!ts.isBlock(block)) continue;
    for (const statement of block.statements.filter(ts.isVariableStatement)) {
      const variable = statement.declarationList.declarations.find((one) => one.name.getText() === name);
      if (variable) return variable.initializer;
    }
  }
  return undefined;
}
