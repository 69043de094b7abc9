-- Accounts of GitHub and Linux DO that are bound now are of the server that is set now; just '' at the usual one. As
-- `issuers` of the provider's record says it.
UPDATE "identities" SET "issuer" = "set"."issuer"
FROM (
  SELECT CASE "key" WHEN 'GitHubServerAddress' THEN 'github' ELSE 'linuxdo' END AS "provider", rtrim("value", '/') AS "issuer"
  FROM "options" WHERE "key" IN ('GitHubServerAddress', 'LinuxDOServerAddress')
) AS "set"
WHERE "identities"."provider" = "set"."provider" AND "identities"."issuer" = ''
  AND lower("set"."issuer") NOT IN ('https://github.com', 'https://connect.linux.do', 'https://github.com:443', 'https://connect.linux.do:443');
