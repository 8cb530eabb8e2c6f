// What host code of samples uses of helper headers, as without arguments on the command line.
#pragma once
#include "cuda_runtime.h"
#include <cstring>
#define EXIT_WAIVED 2
#define checkCudaErrors(call) ((void)(call))
#define getLastCudaError(message) ((void)0)
inline int findCudaDevice(int, const char **) { return 0; }
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int _ConvertSMVer2Cores(int, int) { return 128; }
inline const char *value_of(int count, const char **given, const char *name)
{
    for (int i = 1; i < count; ++i) {
        const char *word = given[i] + strspn(given[i], "-");
        size_t length = strcspn(word, "=");
        if (length == strlen(name) && !strncmp(word, name, length)) return word + length + (word[length] == '=');
    }
    return nullptr;
}
inline bool checkCmdLineFlag(int count, const char **given, const char *name) { return value_of(count, given, name); }
inline int getCmdLineArgumentInt(int count, const char **given, const char *name) { auto v = value_of(count, given, name); return v ? atoi(v) : 0; }
inline float getCmdLineArgumentFloat(int count, const char **given, const char *name) { auto v = value_of(count, given, name); return v ? atof(v) : 0; }
inline bool getCmdLineArgumentString(int count, const char **given, const char *name, char **to) { *to = (char *)value_of(count, given, name); return *to; }
struct StopWatchInterface {};
inline bool sdkCreateTimer(StopWatchInterface **p) { *p = nullptr; return true; }
inline bool sdkDeleteTimer(StopWatchInterface **) { return true; }
inline bool sdkStartTimer(StopWatchInterface **) { return true; }
inline bool sdkStopTimer(StopWatchInterface **) { return true; }
inline bool sdkResetTimer(StopWatchInterface **) { return true; }
inline float sdkGetTimerValue(StopWatchInterface **) { return 1; }
inline float sdkGetAverageTimerValue(StopWatchInterface **) { return 1; }
template <class T> bool compareData(const T *, const T *, unsigned, float, float) { return true; }
template <class T> bool sdkWriteFile(const char *, const T *, unsigned, T, bool, bool = false) { return true; }
