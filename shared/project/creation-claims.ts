/**
 * Binds an id to the first request body. A crash after the claim leaves a request that can only be repeated as it was.
 *
 * @param fingerprint fingerprint of the request's body.
 * @returns false if another body came first.
 */
export function claimCreation(sql: SqlStorage, id: string, fingerprint: string): boolean {
  sql.exec("INSERT INTO creation (id, fingerprint) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", id, fingerprint);
  const row = sql.exec<{ fingerprint: string }>("SELECT fingerprint FROM creation WHERE id = ?", id).one();
  return row.fingerprint === fingerprint;
}
