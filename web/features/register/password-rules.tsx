/** The rules of a new password, ticked off as they are kept. */
import { hasPasswordLength } from '@core/account-rules.ts';
import { Check, Circle } from 'lucide-react';
import { cn } from '@/lib/cn.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function PasswordRules({ password, again }: { password: string; again: string }) {
  const { t } = useTranslation();
  const rules = [
    { text: t('register.ruleLength'), isKept: hasPasswordLength(password) },
    { text: t('register.ruleMatch'), isKept: password !== '' && password === again },
  ];
  return (
    <ul className="grid gap-1 text-xs">
      {rules.map(({ text, isKept }) => {
        const Mark = isKept ? Check : Circle;
        return (
          <li key={text} className={cn('flex items-center gap-1.5', isKept ? 'text-ok' : 'text-muted')}>
            <Mark aria-hidden="true" className="size-3.5" />
            {text}
            <span className="sr-only">{t(isKept ? 'register.ruleKept' : 'register.ruleOpen')}</span>
          </li>
        );
      })}
    </ul>
  );
}
