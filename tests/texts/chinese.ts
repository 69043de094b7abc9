/** The Chinese texts of the project as they stand in its source, each with its place. */
import { join } from 'node:path';
import ts from 'typescript';

export interface ChineseText {
  /** `src/core/errors.ts:69`. */
  place: string;
  /** Without what is filled in. */
  text: string;
}

const ROOT = join(import.meta.dir, '../..');
const CHINESE = /\p{Script=Han}/u;

/** What stands in the place of a value. */
const HOLE = '…';

const filesOf = (pattern: string) =>
  [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })].filter((file) => !/\.test\.tsx?$/.test(file)).sort();

/** Every literal of the source in which there is Chinese, and all of the console's own texts. */
export async function chineseTexts(): Promise<ChineseText[]> {
  const found: ChineseText[] = [];
  for (const file of [...filesOf('src/**/*.{ts,tsx}'), ...filesOf('web/**/*.{ts,tsx}')]) {
    const source = await Bun.file(join(ROOT, file)).text();
    if (CHINESE.test(source)) found.push(...literalsOf(file, source));
  }
  for (const file of filesOf('web/locales/zh/*.json')) {
    const texts: Record<string, string> = await Bun.file(join(ROOT, file)).json();
    for (const [key, text] of Object.entries(texts)) {
      found.push({ place: `${file}:${key}`, text: text.replace(/(?<!')\{\w+\}/g, HOLE) });
    }
  }
  return found;
}

function literalsOf(file: string, source: string): ChineseText[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: ChineseText[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== undefined && (CHINESE.test(text) || isChinese(node))) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      found.push({ place: `${file}:${line + 1}`, text: text.replace(/\{\w+\}/g, HOLE) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** The Chinese half of a text, also where it has no Chinese in it. */
const isChinese = ({ parent }: ts.Node): boolean =>
  parent && ts.isPropertyAssignment(parent) && parent.name.getText() === 'zh';

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map((span) => HOLE + span.literal.text).join('');
}
