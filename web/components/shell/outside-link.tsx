import { ArrowUpRight } from 'lucide-react';
import type { ComponentProps } from 'react';

/** Says that a link leads out of the console. */
export const OutsideMark = () => <ArrowUpRight className="size-3.5" aria-hidden="true" />;

/** To a page of the operator's, in a tab of its own. */
export const OutsideLink = ({ children, ...props }: ComponentProps<'a'> & { href: string }) => (
  <a target="_blank" rel="noreferrer" {...props}>
    {children}
    <OutsideMark />
  </a>
);
