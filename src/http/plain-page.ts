/** Pages that need nothing of the console, and look as it does: its letters and colours, written out once. */
import {
  accent,
  accentText,
  bad,
  bg,
  type Colour,
  line,
  lineStrong,
  muted,
  onAccent,
  raised,
  surface,
  text,
} from '../core/colours.ts';

const lightDark = ({ light, dark }: Colour): string => `light-dark(${light},${dark})`;

export const colours = {
  page: lightDark(bg),
  /** What lies on the page. */
  raised: lightDark(raised),
  /** What is filled in. */
  field: lightDark({ light: surface.light, dark: bg.dark }),
  text: lightDark(text),
  /** What is said besides. */
  soft: lightDark(muted),
  line: lightDark(line),
  /** Around what is pressed or filled in. */
  edge: lightDark(lineStrong),
  accent: lightDark(accent),
  onAccent: lightDark(onAccent),
  link: lightDark(accentText),
  /** What went wrong. */
  bad: lightDark(bad),
} as const;

export const bodyStyle = (background: string): string =>
  `body{margin:0;font:14px/22px ui-sans-serif,system-ui,sans-serif;background:${background};color:${colours.text}}`;
