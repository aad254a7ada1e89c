import ts from 'typescript';
import type { Change } from './sampled-mutant';

const OPERATORS: Partial<Record<ts.SyntaxKind, string[]>> = {
  [ts.SyntaxKind.LessThanToken]: ['<=', '>='],
  [ts.SyntaxKind.LessThanEqualsToken]: ['<', '>'],
  [ts.SyntaxKind.GreaterThanToken]: ['>=', '<='],
  [ts.SyntaxKind.GreaterThanEqualsToken]: ['>', '<'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: ['!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: ['==='],
  [ts.SyntaxKind.PlusToken]: ['-'],
  [ts.SyntaxKind.MinusToken]: ['+'],
  [ts.SyntaxKind.AsteriskToken]: ['/'],
  [ts.SyntaxKind.SlashToken]: ['*'],
  [ts.SyntaxKind.PercentToken]: ['*'],
  [ts.SyntaxKind.AmpersandAmpersandToken]: ['||'],
  [ts.SyntaxKind.BarBarToken]: ['&&'],
  [ts.SyntaxKind.QuestionQuestionToken]: ['&&'],
  [ts.SyntaxKind.PlusEqualsToken]: ['-='],
  [ts.SyntaxKind.MinusEqualsToken]: ['+='],
  [ts.SyntaxKind.QuestionQuestionEqualsToken]: ['='],
};

/** Methods that are easily confused, or left out: an empty text leaves the call out. */
const METHODS: Record<string, string> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  floor: 'ceil',
  ceil: 'floor',
  trim: '',
  filter: '',
  toSorted: '',
  toReversed: '',
  slice: '',
};

/** Calls and properties whose texts are read by people only: logs, help, descriptions. */
const PROSE_CALL = /(?:^|\.)(?:logger|log|console)\.\w+$|\.(?:describe|description|summary|addHelpText|usage|meta)$/i;
const PROSE_PROPERTY = new Set(['help', 'description', 'summary', 'example', 'examples', 'title']);

/**
 * The small mistakes that can be made in a TypeScript source: Stryker's usual set. Types, imports, decorators and texts for
 * people are left alone.
 */
export function typescriptChanges(path: string, text: string): Change[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const changes: Change[] = [];
  const add = (kind: string, node: { getStart(): number; end: number }, replacement: string) => {
    const change = { kind, start: node.getStart(), end: node.end, replacement };
    if (text.slice(change.start, change.end) !== replacement) changes.push(change);
  };
  const visit = (node: ts.Node, prose: boolean): void => {
    if (isNotRun(node)) return;
    const inProse = prose || isProse(node);
    if (ts.isExpression(node)) expression(node, inProse, add);
    else statement(node, add);
    ts.forEachChild(node, (child) => visit(child, inProse));
  };
  visit(source, false);
  return changes;
}

type Add = (kind: string, node: { getStart(): number; end: number }, replacement: string) => void;

function isNotRun(node: ts.Node): boolean {
  if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return true;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isDecorator(node)) return true;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isHeritageClause(node)) return true;
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword) ?? false)
  );
}

function isProse(node: ts.Node): boolean {
  if (ts.isCallExpression(node)) return PROSE_CALL.test(node.expression.getText());
  if (ts.isNewExpression(node)) return node.expression.getText() === 'Error';
  return ts.isPropertyAssignment(node) && PROSE_PROPERTY.has(node.name.getText());
}

function expression(node: ts.Expression, prose: boolean, add: Add): void {
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const joinsText = kind === ts.SyntaxKind.PlusToken && [node.left, node.right].some(isText);
    if (!joinsText) for (const other of OPERATORS[kind] ?? []) add('operator', node.operatorToken, other);
  } else if (ts.isConditionalExpression(node)) condition(node.condition, add);
  else if (ts.isPrefixUnaryExpression(node)) unary(node, add);
  else if (node.kind === ts.SyntaxKind.TrueKeyword) add('boolean', node, 'false');
  else if (node.kind === ts.SyntaxKind.FalseKeyword) add('boolean', node, 'true');
  else if (ts.isNumericLiteral(node)) {
    if (!prose) add('number', node, isSize(node) ? String(Number(node.text) * 10) : otherNumber(node.text));
  } else if (isText(node)) {
    if (!prose && isValue(node)) add('string', node, node.getText().length > 2 ? `''` : `'mutant'`);
  } else if (ts.isArrayLiteralExpression(node)) {
    if (node.elements.length > 0) add('array', node, '[]');
  } else if (ts.isObjectLiteralExpression(node)) {
    if (node.properties.length > 0) add('object', node, '{}');
  } else if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) add('return', node.body, 'undefined');
  else if (ts.isCallExpression(node)) call(node, add);
  if ((ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) && node.questionDotToken)
    add('optional', node.questionDotToken, ts.isCallExpression(node) ? '' : '.');
}

function unary(node: ts.PrefixUnaryExpression, add: Add): void {
  if (node.operator === ts.SyntaxKind.ExclamationToken) add('boolean', node, node.operand.getText());
  if (node.operator === ts.SyntaxKind.MinusToken) add('operator', node, node.operand.getText());
}

function call(node: ts.CallExpression, add: Add): void {
  if (!ts.isPropertyAccessExpression(node.expression)) return;
  const { name, expression: target } = node.expression;
  const other = Object.hasOwn(METHODS, name.text) ? METHODS[name.text] : undefined;
  if (other === '') add('method', node, target.getText());
  else if (other !== undefined) add('method', name, other);
}

function statement(node: ts.Node, add: Add): void {
  if (ts.isIfStatement(node)) condition(node.expression, add);
  else if (ts.isWhileStatement(node)) add('condition', node.expression, 'false');
  else if (ts.isForStatement(node) && node.condition) add('condition', node.condition, 'false');
  else if (ts.isExpressionStatement(node)) {
    if (!ts.isStringLiteral(node.expression)) add('statement', node, ';');
  } else if (ts.isThrowStatement(node)) add('statement', node, ';');
  else if (ts.isReturnStatement(node) && node.expression) add('return', node.expression, 'undefined');
  else if (ts.isBlock(node) && node.statements.length > 0) add('block', node, '{}');
}

function condition(node: ts.Expression, add: Add): void {
  add('condition', node, 'true');
  add('condition', node, 'false');
}

/** One more for what is counted; ten times as many for sizes and times, where one more is no mistake. */
export function otherNumber(digits: string): string {
  const value = Number(digits);
  return String(value > 10 ? value * 10 : value + 1);
}

/** Whether a number is a factor of a product of numbers, such as `8 * 1024`: a size or a time, however small it is. */
function isSize({ parent }: ts.NumericLiteral): boolean {
  if (!ts.isBinaryExpression(parent) || parent.operatorToken.kind !== ts.SyntaxKind.AsteriskToken) return false;
  return [parent.left, parent.right].every(isProduct);
}

function isProduct(node: ts.Node): boolean {
  return ts.isNumericLiteral(node) || (ts.isBinaryExpression(node) && isProduct(node.left) && isProduct(node.right));
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node);
}

/** Whether a text is a value, not a name or a part of a tagged template. */
function isValue({ parent }: ts.Node): boolean {
  return !ts.isTaggedTemplateExpression(parent) && !ts.isElementAccessExpression(parent);
}
