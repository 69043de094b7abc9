import type { FocusEvent } from 'react';

/** Browsers leave what has the focus where it is as long as a part of it can be seen: in a row that is scrolled, its begin. */
export const showWhole = ({ target }: FocusEvent): void =>
  target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
