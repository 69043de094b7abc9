/** Pages that need nothing of the console, and look as it does: its letters and colours, written out once. */

export const colours = {
  page: 'light-dark(#f9fafb,#0d1013)',
  /** What lies on the page. */
  raised: 'light-dark(#fff,oklch(0.25 0.01 255))',
  /** What is filled in. */
  field: 'light-dark(#fff,#0d1013)',
  text: 'light-dark(#1b1f25,#e9ecef)',
  /** What is said besides. */
  soft: 'light-dark(#565d66,#a4abb2)',
  line: 'light-dark(#dfe3e7,#343b42)',
  /** Around what is pressed or filled in. */
  edge: 'light-dark(#868e96,#737b83)',
  accent: 'light-dark(#005e77,#5fc8e4)',
  onAccent: 'light-dark(#fff,#06222b)',
  link: 'light-dark(#00536a,#5fc8e4)',
} as const;

export const bodyStyle = (background: string): string =>
  `body{margin:0;font:14px/22px ui-sans-serif,system-ui,sans-serif;background:${background};color:${colours.text}}`;
