/** The look of what a field offers while one types in it. */
export const optionListClass =
  'absolute inset-x-0 top-full z-10 mt-1 max-h-60 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-float';

export const optionClass =
  'cursor-pointer truncate rounded-sm px-2.5 py-1.5 text-sm aria-selected:bg-hover max-md:py-3';
