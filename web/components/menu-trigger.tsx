import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Button } from './ui/button.tsx';

/** The labelled button of a menu. */
export const MenuTrigger = ({ text, ...props }: { text: string } & ComponentProps<typeof Button>) => (
  <Button aria-haspopup="menu" {...props}>
    {text}
    <ChevronDown className="size-3.5!" aria-hidden="true" />
  </Button>
);
