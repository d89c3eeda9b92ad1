package pglog

import (
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// The end of a process, what it was running, frequent checkpoints, the recovery
// and a timeout, as PostgreSQL's translations print them.
func TestEndsInOtherLanguages(t *testing.T) {
	for name, m := range map[string][5]string{
		"German":   {"Serverprozess (PID 7) wurde von Signal 9 beendet: Killed", "Der fehlgeschlagene Prozess führte aus: select 1", "Checkpoints passieren zu oft (alle 4 Sekunden)", "Datenbanksystem wurde nicht richtig heruntergefahren; automatische Wiederherstellung läuft", "storniere Anfrage wegen Zeitüberschreitung der Anfrage"},
		"French":   {"processus serveur (PID 7) a été arrêté par le signal 9 : Killed", "Le processus qui a échoué exécutait : select 1", "les points de vérification (checkpoints) arrivent trop fréquemment\n\t(toutes les 4 secondes)", "le système de bases de données n'a pas été arrêté proprement ; restauration\n\tautomatique en cours", "annulation de la requête à cause du délai écoulé pour l'exécution de l'instruction"},
		"Spanish":  {"proceso de servidor (PID 7) fue terminado por una señal 9: Killed", "El proceso que falló estaba ejecutando: select 1", "los puntos de control están ocurriendo con demasiada frecuencia (cada 4 segundos)", "el sistema de bases de datos no fue apagado apropiadamente; se está efectuando la recuperación automática", "cancelando la sentencia debido a que se agotó el tiempo de espera de sentencias"},
		"Japanese": {"サーバープロセス (PID 7)はシグナル9で終了しました: Killed", "失敗したプロセスが実行していました: select 1", "チェックポイントの発生周期が短すぎます(4秒間隔)", "データベースシステムは正しくシャットダウンされていません; 自動リカバリを実行中", "ステートメントのタイムアウトのためステートメントをキャンセルしています"},
		"Russian":  {"процесс сервера (PID 7) был завершён по сигналу 9: Killed", "Завершившийся процесс выполнял действие: select 1", "контрольные точки происходят слишком часто (через 4 сек.)", "система БД была остановлена нештатно; производится автоматическое восстановление", "выполнение оператора отменено из-за тайм-аута"},
		"Chinese":  {"服务器进程 (PID 7) 被信号 9 中断: Killed", "失败进程:select 1正在运行", "检查点事件发生过于频繁(4 秒间隔)", "数据库系统没有正确的关闭; 处于自动恢复状态中", "由于语句执行超时，正在取消查询命令"},
	} {
		b := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [1] LOG:  "+m[0]+"\n2026-03-02 08:00:01.100 UTC [1] DETAIL:  "+m[1]+
			"\n2026-03-02 08:00:01.200 UTC [1] LOG:  "+m[2]+"\n2026-03-02 08:00:01.300 UTC [1] LOG:  "+m[3]+"\n2026-03-02 08:00:01.400 UTC [1] ERROR:  57014: "+m[4]+"\n")
		if len(b.Events) != 4 {
			t.Errorf("%s: %+v", name, b.Events)
			continue
		}
		if e := b.Events[0]; e.Kind != record.EventCrash || e.Exit == nil || e.Exit.Signal != 9 || e.Exit.ProcessID != 7 || e.Statement == nil || e.Statement.Normalized != "select 1" {
			t.Errorf("%s: %+v", name, e)
		}
		if e := b.Events[1]; e.Kind != record.EventCheckpointsFrequent || e.Duration != 4*record.Second {
			t.Errorf("%s: %+v", name, e)
		}
		if e := b.Events[2]; e.Kind != record.EventCrash || e.Exit != nil {
			t.Errorf("%s: %+v", name, e)
		}
		if e := b.Events[3]; e.Kind != record.EventError || e.Text != "canceling statement due to statement timeout" {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
