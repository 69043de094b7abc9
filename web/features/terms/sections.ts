/** The parts of a document that is plain text: `# ` begins a heading's line, empty lines part paragraphs. */

export interface Section {
  id: string;
  /** Empty for what stands before the first heading. */
  title: string;
  paragraphs: { id: string; text: string }[];
}

export function sectionsOf(text: string): Section[] {
  const sections: Section[] = [{ id: 's0', title: '', paragraphs: [] }];
  const apart = text.replaceAll('\r\n', '\n').replace(/^# .*$/gm, '\n$&\n');
  for (const [at, block] of apart.split(/\n{2,}/).entries()) {
    const piece = block.trim();
    if (piece.startsWith('# ')) {
      sections.push({ id: `s${sections.length}`, title: piece.slice(2).trim(), paragraphs: [] });
    } else if (piece !== '') sections.at(-1)?.paragraphs.push({ id: `p${at}`, text: piece });
  }
  return sections.filter(({ title, paragraphs }) => title !== '' || paragraphs.length > 0);
}
