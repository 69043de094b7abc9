import * as RadixTabs from 'radix-ui/tabs';
import type { ComponentProps } from 'react';
import { tabListLook, tabLook } from './tab-look.ts';

export const Tabs = RadixTabs.Root;
export const TabsContent = RadixTabs.Content;

export const TabsList = ({ className, ...props }: ComponentProps<typeof RadixTabs.List>) => (
  <RadixTabs.List className={tabListLook(className)} {...props} />
);

export const TabsTrigger = ({ className, ...props }: ComponentProps<typeof RadixTabs.Trigger>) => (
  <RadixTabs.Trigger className={tabLook(className)} {...props} />
);
