import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The types of a version of the provider's SDK, by name. */
export interface SdkTypes {
  /** Names of an interface's members. */
  members(name: string): string[];
  /** Names of the interfaces that a union consists of. */
  union(name: string): string[];
  /** The texts that a member can be; empty if it is something else. */
  texts(name: string, member: string): string[];
}

/** Reads a file of type declarations. */
export function readSdkTypes(path: string): SdkTypes {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const interfaces = new Map(
    source.statements.filter(ts.isInterfaceDeclaration).map((found) => [found.name.text, found]),
  );
  const aliases = new Map(
    source.statements.filter(ts.isTypeAliasDeclaration).map((found) => [found.name.text, found.type]),
  );
  const membersOf = (name: string) => {
    const found = interfaces.get(name);
    if (!found) throw new Error(`${path} has no ${name}`);
    return found.members.filter(ts.isPropertySignature);
  };
  return {
    members: (name) => membersOf(name).map((member) => member.name.getText(source)),
    union: (name) => {
      const type = aliases.get(name);
      if (!type) throw new Error(`${path} has no ${name}`);
      return partsOf(type).map((part) => part.getText(source));
    },
    texts: (name, wanted) =>
      membersOf(name)
        .filter((member) => member.name.getText(source) === wanted)
        .flatMap(({ type }) => (type ? partsOf(type) : []))
        .flatMap((part) => (ts.isLiteralTypeNode(part) && ts.isStringLiteral(part.literal) ? [part.literal.text] : [])),
  };
}

function partsOf(type: ts.TypeNode): readonly ts.TypeNode[] {
  return ts.isUnionTypeNode(type) ? type.types : [type];
}
